/** What is forgotten. Whole keys are: an attempt that is left alone would say something else than its key. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { CampaignSends } from "./CampaignSends.ts"
import type { Database } from "../database/Database.ts"
import { integer as integerOf, rowOf } from "../database/Rows.ts"
import type { ServerSends } from "./ServerSends.ts"
import { inRange, rangeOf } from "../model/Names.ts"
import type { Rule } from "../Rule.ts"

/** The longest period of a limit. */
const dayMillis = 24 * 60 * 60 * 1000

const sumOf = (condition: string) => `coalesce(sum(case when ${condition} then 1 else 0 end), 0)`

export const makePrune = ({ dialect, transaction }: Database, rule: Rule) => {
  const { integer, now, table } = dialect
  const send = table("send")

  /** Whether sends may be deleted: none is in flight and, unless `unknown` is 1, none of unknown outcome. */
  const isDecided = (unknown: string) => `${sumOf(`${rule.standing("stored")} = 'in-flight'`)} = 0
    and (cast(${unknown} as ${integer}) = 1 or ${sumOf(rule.isUnknown("stored"))} = 0)`

  const single = (owner: "program" | "server", keptFor: string): ServerSends["prune"] => {
    const longest = `case when ${keptFor} > cast($2 as ${integer}) then ${keptFor} else cast($2 as ${integer}) end`
    const isOver = `${isDecided("$1")}
      and max(coalesce(stored.settled_at, stored.stale_at)) <= ${now} - ${longest}`
    const sql = `delete from ${send} where owner = '${owner}' and key in (
        select key from ${send} as stored where owner = '${owner}' group by key having ${isOver}
      ) returning id`
    return ({ olderThan, unknown }) =>
      Effect.map(
        transaction((query) => query(sql, unknown ? 1 : 0, Duration.toMillis(olderThan))),
        ({ length }) => length
      )
  }

  /** The longest window in which a sent SMS of the server counts for somebody, in milliseconds. */
  const window = `coalesce((select cast(value as ${integer}) from ${table("setting")} where name = 'window'), 0)`

  const keep: ServerSends["keep"] = (wanted) => {
    // A window without an end ends with the time that a number can be.
    const millis = Math.min(Duration.toMillis(wanted), Number.MAX_SAFE_INTEGER)
    const sql = `insert into ${table("setting")} as stored (name, value) values ('window', $1)
      on conflict (name) do update set value = excluded.value
      where cast(stored.value as ${integer}) < cast(excluded.value as ${integer})`
    return Effect.asVoid(transaction((query) => query(sql, String(Math.ceil(millis)))))
  }

  const campaign: CampaignSends["prune"] = (name, { unknown }) => {
    const { from, to } = rangeOf(name)
    const free = `select case when ${isDecided("$3")} then 1 else 0 end as is_free
      from ${send} as stored where ${inRange}`
    const mark = `update ${table("campaign")} set pruned_at =`
    return transaction((query) =>
      Effect.gen(function* () {
        // From now on, no other process claims a row of it.
        yield* query(`${mark} ${now} where name = $1`, name)
        const isFree = yield* rowOf(query(free, from, to, unknown ? 1 : 0), (row) =>
          integerOf(row, "is_free")
        )
        if (isFree !== 1) {
          yield* query(`${mark} null where name = $1`, name)
          return undefined
        }
        return (yield* query(`delete from ${send} where ${inRange} returning id`, from, to)).length
      })
    )
  }

  return {
    campaign,
    keep,
    program: single("program", "0"),
    server: single(
      "server",
      `case when ${window} > ${dayMillis} then ${window} else ${dayMillis} end`
    )
  }
}
