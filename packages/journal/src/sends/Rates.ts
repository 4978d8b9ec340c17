/** The rates that all processes share: for each, the journal stores when the next batch may begin. */
import * as Effect from "effect/Effect"
import type { CampaignSends } from "./CampaignSends.ts"
import type { Database } from "../database/Database.ts"
import { integer, type Row, rowOf } from "../database/Rows.ts"

/** A batch is reserved at most so long before it comes: long enough for the statements. */
const aheadMicros = 100_000

/** Nobody reserves further ahead than this. A time beyond it comes from a clock that was wrong. */
const wrongMicros = 60_000_000

const waitOf = (row: Row): number => integer(row, "wait")

export const makeRates = ({ dialect, transaction }: Database): Pick<CampaignSends, "reserve"> => {
  const { integer: int, table } = dialect
  const rates = table("rate")
  const now = `(${dialect.now} * 1000)`
  const cost = `cast($2 as ${int})`

  /** A single statement, so that no two processes get the same time. Times are in microseconds. */
  const take = `insert into ${rates} as stored (name, next_at) values ($1, ${now} + ${cost})
    on conflict (name) do update
    set next_at = ${cost}
      + case when stored.next_at between ${now} and ${now} + ${aheadMicros} then stored.next_at else ${now} end
    where stored.next_at <= ${now} + ${aheadMicros}
      or stored.next_at > ${now} + ${wrongMicros} + 10 * ${cost}
    returning next_at - ${cost} - ${now} as wait`

  const soonest = `select next_at - ${aheadMicros} - ${now} as wait from ${rates} where name = $1`

  const reserve: CampaignSends["reserve"] = ({ amount, name, perSecond }) =>
    transaction((query) =>
      Effect.gen(function* () {
        const micros = Math.round((amount * 1_000_000) / perSecond)
        const taken = yield* rowOf(query(take, name, micros), waitOf)
        const wait = taken ?? (yield* rowOf(query(soonest, name), waitOf)) ?? 0
        return { isGranted: taken !== undefined, waitMillis: Math.max(0, wait / 1000) }
      })
    )

  return { reserve }
}
