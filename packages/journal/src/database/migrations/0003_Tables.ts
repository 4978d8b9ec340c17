import type { Dialect } from "../Database.ts"

/**
 * A slice is a range of ids in `send`, and is read by that range. So `send` needs no index for its
 * state, and an update of the state changes no index.
 */
export const tables = ({ identity, integer, oftenUpdated, table }: Dialect) => [
  `create table ${table("campaign")} (
    id text primary key,
    state text not null default 'running',
    load text
  )`,
  `create table ${table("slice")} (
    id ${identity},
    campaign text not null,
    epoch ${integer} not null default 0,
    done_at ${integer},
    load text
  )`,
  `create index slice_campaign on ${table("slice")} (campaign, id)`,
  `create table ${table("send")} (
    id ${integer} primary key,
    campaign text not null,
    key text not null,
    line ${integer},
    recipient text not null,
    message text not null,
    sender_id text,
    webhook_url text,
    scheduled_time text,
    state text not null default 'pending',
    epoch ${integer} not null default 0,
    claimed_at ${integer},
    tries ${integer} not null default 0,
    info text,
    message_id text,
    status text,
    final_at ${integer},
    at ${integer} not null,
    unique (campaign, key)
  ) ${oftenUpdated}`,
  `create table ${table("rate")} (scope text primary key, next_at ${integer} not null)`,
  `create table ${table("once")} (
    id ${identity},
    claim text not null unique,
    key text not null,
    principal text not null,
    fields text not null,
    state text not null,
    claimed_at ${integer} not null,
    stale_at ${integer} not null,
    settled_at ${integer},
    expires_at ${integer},
    messages text
  )`,
  `create index once_key on ${table("once")} (key, id)`,
  `create index once_principal on ${table("once")} (principal, id)`,
  `create table ${table("counted")} (
    claim text not null,
    scope text not null,
    amount ${integer} not null,
    at ${integer} not null,
    until ${integer} not null
  )`,
  `create index counted_scope on ${table("counted")} (scope, at)`,
  `create index counted_claim on ${table("counted")} (claim)`,
  `create index counted_until on ${table("counted")} (until)`,
  `create table ${table("approval")} (
    nonce text primary key,
    expires_at ${integer} not null,
    approved ${integer} not null
  )`,
  `create table ${table("secret")} (name text primary key, value text not null)`
]
