/**
 * Journals of the two layouts before the first release, each with a running campaign.
 */
import { DatabaseSync } from "node:sqlite"

const first = [
  "create table slice ( id integer primary key autoincrement, campaign text not null, epoch integer not null default 0, done_at integer )",
  "create table send ( id integer primary key, campaign text not null, key text not null, recipient text not null, message text not null, sender_id text, webhook_url text, scheduled_time text, state text not null default 'pending', epoch integer not null default 0, tries integer not null default 0, info text, at integer not null, unique (campaign, key) ) ",
  "create table once ( id integer primary key autoincrement, claim text not null unique, key text not null, principal text not null, fields text not null, state text not null, claimed_at integer not null, stale_at integer not null, settled_at integer, expires_at integer, messages text )",
  "create table approval ( nonce text primary key, expires_at integer not null, accepted integer not null )",
  "create table version (version integer not null)",
  "insert into version (version) values (1)",
  "insert into slice (id, campaign, epoch) values (3, 'c', 1)",
  "insert into send (id, campaign, key, recipient, message, state, at) values (1536, 'c', 'a', '+1555010', 'Hello', 'accepted', 0)"
]

const second = [
  ...first,
  "create table campaign (id text primary key, state text not null default 'running')",
  "insert into campaign (id) select distinct campaign from slice",
  "alter table send add column message_id text",
  "insert into version (version) values (2)"
]

export const earlierLayouts = { first, second } as const

export const writeEarlierLayout = (file: string, statements: ReadonlyArray<string>): void => {
  const database = new DatabaseSync(file)
  for (const statement of statements) database.exec(statement)
  database.close()
}
