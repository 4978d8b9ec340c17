/**
 * A journal as the first version created it, with a running campaign. Every later version must be able to
 * read it.
 */
import { DatabaseSync } from "node:sqlite"

const statements = [
  "create table slice ( id integer primary key autoincrement, campaign text not null, epoch integer not null default 0, done_at integer )",
  "create index slice_campaign on slice (campaign, id)",
  "create table send ( id integer primary key, campaign text not null, key text not null, recipient text not null, message text not null, sender_id text, webhook_url text, scheduled_time text, state text not null default 'pending', epoch integer not null default 0, tries integer not null default 0, info text, at integer not null, unique (campaign, key) ) ",
  "create table once ( id integer primary key autoincrement, claim text not null unique, key text not null, principal text not null, fields text not null, state text not null, claimed_at integer not null, stale_at integer not null, settled_at integer, expires_at integer, messages text )",
  "create index once_key on once (key, id)",
  "create index once_principal on once (principal, id)",
  "create table counted ( claim text not null, scope text not null, amount integer not null, at integer not null, until integer not null )",
  "create index counted_scope on counted (scope, at)",
  "create index counted_claim on counted (claim)",
  "create index counted_until on counted (until)",
  "create table approval ( nonce text primary key, expires_at integer not null, accepted integer not null )",
  "create table secret (name text primary key, value text not null)",
  "create table version (version integer not null)",
  "insert into version (version) values (1)",
  "insert into slice (id, campaign, epoch) values (3, 'c', 1)",
  "insert into send (id, campaign, key, recipient, message, state, epoch, tries, at) values (1536, 'c', 'a', '+1555010', 'Hello', 'attempting', 1, 0, 0), (1537, 'c', 'b', '+1555011', 'Hello', 'pending', 0, 0, 0)"
]

export const writeFirstVersion = (file: string): void => {
  const database = new DatabaseSync(file)
  for (const statement of statements) database.exec(statement)
  database.close()
}
