pragma application_id = 1836345970;
CREATE TABLE setting (name text primary key, value text not null);
CREATE TABLE send (
    id integer primary key autoincrement,
    key text not null,
    attempt integer not null,
    owner text not null,
    token text not null,
    request text not null,
    recipient text not null,
    content text not null,
    caller text,
    batch text,
    segments integer,
    state text not null,
    claimed_at integer not null,
    stale_at integer not null,
    settled_at integer,
    decided_at integer,
    messages text,
    reason text
  );
CREATE UNIQUE INDEX send_key on send (key, attempt);
CREATE INDEX send_again on send (key) where attempt > 0;
CREATE INDEX send_recipient on send (recipient);
CREATE INDEX send_server on send 
    (claimed_at, state, segments, caller, recipient) where owner = 'server';
CREATE TABLE campaign (
    name text primary key,
    folder text,
    options text,
    pruned_at integer
  );
CREATE TABLE approval (
    nonce text primary key,
    expires_at integer not null,
    approved integer not null
  );
insert into setting values ('version', '3');
insert into setting values ('digest', 'WFNNoNIVJfLAYQFcCZ6m_Gzin1Yfg9zH6QMvsThCRUE');
insert into send values (1, '/sent', 0, 'program', 'a085346d-bf4f-4e4a-b222-f3b8869d46b1', 'F7MLhuFJnCfXb1F3TWJq8b', 'C8nXQpvTrhHLOLCTnSS1Pi', '8IG4Moloi8PZVCkzl4qv4F', null, null, null, 'sent', 0, 45000, 0, null, '[{"message_id":"m-1","status":"any"}]', null);
insert into send values (2, '/unknown', 0, 'program', 'dd6f2584-020e-4837-be94-15edaf746085', 'uqvhjCf7qVkWJuVwtzvYM4', 'C8nXQpvTrhHLOLCTnSS1Pi', '8IG4Moloi8PZVCkzl4qv4F', null, null, null, 'unknown', 0, 45000, 0, null, null, 'ConnectionLost');
insert into send values (3, 'c/sent', 0, 'campaign', '9d252fdc-a3ca-49d6-822d-6e8f9acb00d0', 'sHcfNHvl1qOPfdgJlviIBH', 'C8nXQpvTrhHLOLCTnSS1Pi', '8IG4Moloi8PZVCkzl4qv4F', null, null, null, 'sent', 0, 45000, 0, null, '[{"message_id":"m-1","status":"any"}]', null);
insert into send values (4, 'c/unknown', 0, 'campaign', '269b47f9-bf0f-4aaf-8a0a-736680c1d647', '5LolPYCl_0JTaidHOrE6XI', 'C8nXQpvTrhHLOLCTnSS1Pi', '8IG4Moloi8PZVCkzl4qv4F', null, null, null, 'unknown', 0, 45000, 0, null, null, 'ConnectionLost');
insert into send values (5, 'sent', 0, 'server', 'ca683060-9b86-493e-aa71-f8198d7eef94', 'r', 'C8nXQpvTrhHLOLCTnSS1Pi', '8IG4Moloi8PZVCkzl4qv4F', 'ann', null, 1, 'sent', 0, 45000, 0, null, '[{"message_id":"m1","status":"QUEUED"}]', null);
delete from sqlite_sequence;
insert into sqlite_sequence values ('send', 5);
insert into campaign values ('c', null, null, null);
insert into campaign values ('pruned', null, null, 0);
