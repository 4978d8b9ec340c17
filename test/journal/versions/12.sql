pragma application_id = 1836345970;
CREATE TABLE setting (name text primary key, value text not null);
CREATE TABLE send (
    id integer primary key autoincrement,
    key text not null,
    attempt integer not null,
    owner text not null,
    ticket text not null,
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
CREATE INDEX send_recipient on send (recipient, content);
CREATE INDEX send_server on send 
    (claimed_at, state, segments, caller, recipient) where owner = 'server';
CREATE INDEX send_unknown on send
    (recipient) where caller is not null and state in ('claimed', 'unknown');
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
insert into setting values ('digest', 'the key of the digests');
insert into setting values ('host', 'localhost');
insert into setting values ('lists', 'begun');
insert into setting values ('version', '12');
insert into send values (null, '/closed', 0, 'program', 'ticket', 'G-U3tvmwOpn7T6Jc64ckko', '4rKO2gqbkpwxTKo6akCPNt', 'nTRqVQijJudyGHealIYnIM', null, null, null, 'closed', 1000000, 1000000, 1000000, 1000000, null, 'ConnectionLost', 1);
insert into send values (null, '/e81pGEtvOTOgIbIkhy28kh', 0, 'program', 'ticket', 'q4BXpV6oCj0aMoxp6LdabC', 'RvAmK8UdgzEapGAtHZuROx', 'kSjGwOTUV8i0yv9tCrbH6b', null, null, null, 'sent', 1000000, 1000000, 1000000, null, '[{"message_id":"m","status":"SANDBOX_QUEUED"}]', null, 1);
insert into send values (null, '/freed', 0, 'program', 'ticket', 'GpOw0nxLeWxcZOqOmvz-z_', 'XzZo9Wf5Ki49qAESP60R_E', '0BjnpgWtN_qTKV38MNRotF', null, null, null, 'freed', 1000000, 1000000, 1000000, 1000000, null, 'ConnectionLost', 1);
insert into send values (null, '/rejected', 0, 'program', 'ticket', '1UDHs2FpGuXUv9pFbIdxQy', 'fEq028ZzW__khSroZQT03t', 'DDO_1pYj995SxVBeEFg371', null, null, null, 'rejected', 1000000, 1000000, 1000000, null, null, 'InvalidRequest 400', 1);
insert into send values (null, '/unknown', 0, 'program', 'ticket', '7RrZvxAF6TAXG7Q36JH05d', 'VGYM5SAG7g4ByuMEQ83OIi', '5K0cxstDOBJ6ik26u0TI3B', null, null, null, 'unknown', 1000000, 1000000, 1000000, null, null, 'ConnectionLost', 1);
insert into send values (null, 'Y6ON-l5wOZWM_99IM9U9AX', 0, 'server', 'ticket', 'r', 'RvAmK8UdgzEapGAtHZuROx', 'vM27s_48oKQwPBtWA62TXe', 'local', 'b', 1, 'sent', 1000000, 1000000, 1000000, null, '[{"message_id":"m","status":"any"}]', null, 1);
insert into send values (null, 'YM5o1EHERB49cOGd87B41A', 0, 'server', 'ticket', 'r', 'VGYM5SAG7g4ByuMEQ83OIi', 'rE_mn8SySVHAwngZxuXDuj', 'local', null, 1, 'unknown', 1000000, 1000000, 1000000, null, null, 'ConnectionLost', 1);
insert into send values (null, 'mJxoh2IU76lJbNpZWEAHTJ', 0, 'server', 'ticket', 'r', 'XzZo9Wf5Ki49qAESP60R_E', 'Ykb8BnWBtGKGUNJ0xHwHSX', 'local', null, 1, 'freed', 1000000, 1000000, 1000000, 1000000, null, 'ConnectionLost', 1);
insert into send values (null, 'may national/EyF95SrsOpnph8zopRCg71', 0, 'campaign', 'ticket', 'pOevAjznzsNJo4o74JllO7', 'RvAmK8UdgzEapGAtHZuROx', 'K57BUY7FkkxTJ19Lh3lXVa', null, null, null, 'sent', 1000000, 1000000, 1000000, null, '[{"message_id":"m","status":"SANDBOX_QUEUED"}]', null, 1);
insert into send values (null, 'may/closed', 0, 'campaign', 'ticket', 'eef69zUNUwe34kg1a67hRE', '4rKO2gqbkpwxTKo6akCPNt', 'P6s2SD-qZXa-5ZpgxnGbT9', null, null, null, 'closed', 1000000, 1000000, 1000000, 1000000, null, 'ConnectionLost', 1);
insert into send values (null, 'may/freed', 0, 'campaign', 'ticket', 'D8AXA0SefLNqgDFLOtYt9v', 'XzZo9Wf5Ki49qAESP60R_E', 'ra-TL2qn72vq1dl7RstUuC', null, null, null, 'freed', 1000000, 1000000, 1000000, 1000000, null, 'ConnectionLost', 1);
insert into send values (null, 'may/rejected', 0, 'campaign', 'ticket', 'oSzRC5yvdNbRilUDSfjZYJ', 'fEq028ZzW__khSroZQT03t', 'c7MFRnvNNPCykWCwGPF59a', null, null, null, 'rejected', 1000000, 1000000, 1000000, null, null, 'InvalidRequest 400', 1);
insert into send values (null, 'may/unknown', 0, 'campaign', 'ticket', 'uijQgnW3NCEbhq8-2MBps2', 'VGYM5SAG7g4ByuMEQ83OIi', 'prlgC5LoRP3UsGTTysDeCV', null, null, null, 'unknown', 1000000, 1000000, 1000000, null, null, 'ConnectionLost', 1);
insert into send values (null, 'r3s2_-trd2JLvPXBV-S6fn', 0, 'server', 'ticket', 'r', 'fEq028ZzW__khSroZQT03t', 'uQCBWLtrUhIUcgKev33z1i', 'local', null, 1, 'rejected', 1000000, 1000000, 1000000, null, null, 'InvalidRequest 400', 1);
insert into send values (null, 'zZUvMRSP3mqwvXy1aS4Luk', 0, 'server', 'ticket', 'r', '4rKO2gqbkpwxTKo6akCPNt', 'rwBCUvrJ-I_FsA6IsI2nZS', 'local', null, 1, 'closed', 1000000, 1000000, 1000000, 1000000, null, 'ConnectionLost', 1);
insert into campaign values ('may national', null, '{"--recipient-column":"88dk7c1UggoyTWErVOBl58","--key-column":"EwsqqFB4lwH55Q-nDP7gsp","--template":"W_hDtOUdVJOP9EsNlUMHrD","--country":"xtQ90kox2Wemu-uCaFYqBl"}', null);
insert into campaign values ('may', null, '{"--recipient-column":"88dk7c1UggoyTWErVOBl58","--key-column":"EwsqqFB4lwH55Q-nDP7gsp","--template":"W_hDtOUdVJOP9EsNlUMHrD","--country":"sQhVyYHvAwe8Zdt-9EflbX"}', null);
insert into campaign values ('pruned national', null, null, 1000000);
insert into campaign values ('pruned', null, null, 1000000);
insert into approval values ('n', 1000000, 1);
insert into approval values ('ticket', 1000000, 1);
