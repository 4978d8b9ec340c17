import type { Dialect } from "../Database.ts"

/** `total`: the sum of the amounts of the scope up to this row, in the order of `at`. */
export const runningTotals = ({ integer, table }: Dialect) => [
  `alter table ${table("counted")} add column total ${integer} not null default 0`,
  `update ${table("counted")} set total = ranked.total from (
    select claim, scope, sum(amount) over (partition by scope order by at, claim) as total
    from ${table("counted")}
  ) as ranked where ranked.claim = counted.claim and ranked.scope = counted.scope`,
  `drop index ${table("counted_scope")}`,
  `drop index ${table("counted_until")}`,
  `create index counted_total on ${table("counted")} (scope, at, total)`,
  `create index approval_expires on ${table("approval")} (expires_at)`
]
