import type { Dialect } from "../Database.ts"

/** Campaigns can be paused and cancelled, rows know what the service says of them, rates are shared. */
export const campaigns = ({ integer, table }: Dialect) => [
  `create table ${table("campaign")} (id text primary key, state text not null default 'running')`,
  `insert into ${table("campaign")} (id) select distinct campaign from ${table("slice")}`,
  `alter table ${table("send")} add column message_id text`,
  `alter table ${table("send")} add column status text`,
  `alter table ${table("send")} add column final_at ${integer}`,
  `create table ${table("rate")} (scope text primary key, next_at ${integer} not null)`
]
