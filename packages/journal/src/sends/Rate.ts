/** Rates that all processes on the journal share. */
import * as Effect from "effect/Effect"
import type { Database } from "../database/Database.ts"
import { integer, type Row, rowOf } from "../database/Rows.ts"

/** A batch is reserved at most so long before it comes: long enough for the statements. */
const aheadMicros = 100_000

/** Nobody reserves further ahead than this. A time beyond it comes from a clock that was wrong. */
const wrongMicros = 60_000_000

const waitOf = (row: Row): number => integer(row, "wait")

export interface Reservation {
  /** Calls with the same name share the rate. */
  readonly name: string
  readonly amount: number
  readonly perSecond: number
}

export const makeReserve = ({ dialect, transaction }: Database) => {
  const { integer: int, now, table } = dialect
  const rates = table("rate")
  const nowMicros = `(${now} * 1000)`
  const cost = `cast($2 as ${int})`

  /** A single statement, so that no two processes get the same time. Times are in microseconds. */
  const take = `insert into ${rates} as stored (name, next_at) values ($1, ${nowMicros} + ${cost})
    on conflict (name) do update
    set next_at = ${cost}
      + case when stored.next_at between ${nowMicros} and ${nowMicros} + ${aheadMicros} then stored.next_at else ${nowMicros} end
    where stored.next_at <= ${nowMicros} + ${aheadMicros}
      or stored.next_at > ${nowMicros} + ${wrongMicros} + 10 * ${cost}
    returning next_at - ${cost} - ${nowMicros} as wait`

  const soonest = `select next_at - ${aheadMicros} - ${nowMicros} as wait from ${rates} where name = $1`

  /**
   * Takes `amount` of the rate with a name. If it is not granted, nothing was taken, and it may be after
   * `waitMillis`; if it is granted, its time comes after `waitMillis`, which is at most 100.
   */
  return ({ amount, name, perSecond }: Reservation) =>
    transaction((query) =>
      Effect.gen(function* () {
        const micros = Math.round((amount * 1_000_000) / perSecond)
        const taken = yield* rowOf(query(take, name, micros), waitOf)
        const wait = taken ?? (yield* rowOf(query(soonest, name), waitOf)) ?? 0
        return { isGranted: taken !== undefined, waitMillis: Math.max(0, wait / 1000) }
      })
    )
}
