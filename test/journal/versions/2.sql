PRAGMA application_id = 1836345970;
BEGIN TRANSACTION;
CREATE TABLE approval (
    nonce text primary key,
    expires_at integer not null,
    approved integer not null
  );
CREATE TABLE campaign (
    name text primary key,
    folder text,
    options text,
    pruned_at integer
  );
INSERT INTO "campaign" VALUES('c',NULL,NULL,NULL);
INSERT INTO "campaign" VALUES('pruned',NULL,NULL,0);
CREATE TABLE rate (name text primary key, next_at integer not null);
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
    counts_for integer,
    state text not null,
    claimed_at integer not null,
    stale_at integer not null,
    settled_at integer,
    decided_at integer,
    messages text,
    reason text
  );
INSERT INTO "send" VALUES(1,'/sent',0,'program','4b9b4171-aa98-4702-a424-da030641db32','DH9dUjNpsbiBX-ujpUVtKX','w3uBRfI-EupNTCGXclpCIR','Ai6P5iyxN_8qgqqRHrOlMM',NULL,NULL,NULL,NULL,'sent',0,45000,0,NULL,'[{"message_id":"sbx-1-hyuxavih","status":"SANDBOX_QUEUED"}]',NULL);
INSERT INTO "send" VALUES(2,'c/sent',0,'campaign','ef605b9c-8bdb-44ed-9660-984e5bdc095d','ZIUhjwqQmtzUT8ufrDnfBU','w3uBRfI-EupNTCGXclpCIR','Ai6P5iyxN_8qgqqRHrOlMM',NULL,NULL,NULL,NULL,'sent',0,45000,0,NULL,'[{"message_id":"sbx-2-hyuxavih","status":"SANDBOX_QUEUED"}]',NULL);
INSERT INTO "send" VALUES(3,'/unknown',0,'program','85e88ac7-c109-4f57-9583-3cc5fd09afcb','SMJUE-Ft_tzzVIBw8wMvu6','w3uBRfI-EupNTCGXclpCIR','Ai6P5iyxN_8qgqqRHrOlMM',NULL,NULL,NULL,NULL,'unknown',0,45000,0,NULL,NULL,'ConnectionLost');
INSERT INTO "send" VALUES(4,'c/unknown',0,'campaign','5c35319c-e54b-4b04-b4f7-f2b76a15c37b','8hU2H-mpf9a_TX1qpbiNjd','w3uBRfI-EupNTCGXclpCIR','Ai6P5iyxN_8qgqqRHrOlMM',NULL,NULL,NULL,NULL,'unknown',0,45000,0,NULL,NULL,'ConnectionLost');
INSERT INTO "send" VALUES(6,'sent',0,'server','5716adb7-8cf0-4f90-ad6c-b00ce1d83050','r','w3uBRfI-EupNTCGXclpCIR','Ai6P5iyxN_8qgqqRHrOlMM','ann',NULL,1,NULL,'sent',0,45000,0,NULL,'[{"message_id":"m1","status":"QUEUED"}]',NULL);
CREATE TABLE setting (name text primary key, value text not null);
INSERT INTO "setting" VALUES('version','2');
INSERT INTO "setting" VALUES('digest','iJg9r0RrD4-_Oj76fc8qNFjaalHFBhNomOdFRrNuqyI');
CREATE UNIQUE INDEX send_key on send (key, attempt);
CREATE INDEX send_again on send (key) where attempt > 0;
CREATE INDEX send_server on send 
    (claimed_at, state, segments, caller, recipient) where owner = 'server';
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('send',6);
COMMIT;
