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
    reason text,
    stale_uptime integer
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
insert into setting values ('digest', 'VyRTw0sk8W4Kvs1m6wu_wmwDEpzBAo4WBf8097nOiPo');
insert into send values (1, '/sent', 0, 'program', '215c746a-06bb-4988-a1ae-d9cb640cfc3b', 'l-lyjY1HeHRWfW7091RNH9', '4clzh_kfcc8rCIkMUBV3gi', 'fkcB2MgD58GO3JkQzJ2ySM', null, null, null, 'sent', 0, 45000, 0, null, '[{"message_id":"m-1","status":"any"}]', null, 45000);
insert into send values (2, '/unknown', 0, 'program', '332394bb-6079-4da0-a7b7-b5e058fd7df2', 'qxSrc6ktS3wohrFeloiYB5', '4clzh_kfcc8rCIkMUBV3gi', 'fkcB2MgD58GO3JkQzJ2ySM', null, null, null, 'unknown', 0, 45000, 0, null, null, 'ConnectionLost', 45000);
insert into send values (3, 'c/sent', 0, 'campaign', '561e5399-0f77-4bb5-8b23-bdfa12d3a630', 'NBnnGqG4Kr14VLZ0tuPDqi', '4clzh_kfcc8rCIkMUBV3gi', 'fkcB2MgD58GO3JkQzJ2ySM', null, null, null, 'sent', 0, 45000, 0, null, '[{"message_id":"m-1","status":"any"}]', null, 45000);
insert into send values (4, 'c/unknown', 0, 'campaign', '38024f45-51ba-482e-bbaf-7647e351a113', 'wH8f-B29zH7OM7IycYbu_c', '4clzh_kfcc8rCIkMUBV3gi', 'fkcB2MgD58GO3JkQzJ2ySM', null, null, null, 'unknown', 0, 45000, 0, null, null, 'ConnectionLost', 45000);
insert into send values (5, 'sent', 0, 'server', '1840fdd8-2eda-4dcd-9b9c-50a51dddc8c2', 'r', '4clzh_kfcc8rCIkMUBV3gi', 'fkcB2MgD58GO3JkQzJ2ySM', 'ann', null, 1, 'sent', 0, 45000, 0, null, '[{"message_id":"m1","status":"QUEUED"}]', null, 45000);
delete from sqlite_sequence;
insert into sqlite_sequence values ('send', 5);
insert into campaign values ('c', null, null, null);
insert into campaign values ('pruned', null, null, 0);
