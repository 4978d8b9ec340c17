import type { Dialect } from "../Database.ts"

/** Adds the states of campaigns, the service's statuses of rows, and shared rates. */
export const campaigns = ({ integer, table }: Dialect) => [
  `create table ${table("campaign")} (id text primary key, state text not null default 'running')`,
  `insert into ${table("campaign")} (id) select distinct campaign from ${table("slice")}`,
  `alter table ${table("send")} add column message_id text`,
  `alter table ${table("send")} add column status text`,
  `alter table ${table("send")} add column final_at ${integer}`,
  `create table ${table("rate")} (scope text primary key, next_at ${integer} not null)`
]
