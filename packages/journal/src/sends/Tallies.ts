/** What a campaign adds up to. */
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import type { Database } from "../database/Database.ts"
import { integer, oneOf, optional, rowsOf, text } from "../database/StoredRows.ts"
import { type SendState, stateNames, states } from "../model/States.ts"
import { inRange, rangeOf } from "../model/Names.ts"
import type { Rule } from "../Rule.ts"

/** Rows that are in the same state for the same reason. Times are in milliseconds since 1970. */
export interface Tally {
  readonly state: SendState
  /** Absent for a claim that nobody settled. */
  readonly reason?: string | undefined
  readonly count: number
  /** When the first of them ended; a claim that nobody settled, when it was made. */
  readonly firstAt: number
  readonly lastAt: number
}

/** Returns how many rows are in each state. */
export const countsOf = (tallies: ReadonlyArray<Tally>) =>
  Record.map(states, (_, state) =>
    tallies.reduce((sum, tally) => sum + (tally.state === state ? tally.count : 0), 0)
  )

/** All that happened, as one step. */
const allTime = { widthMillis: Number.MAX_SAFE_INTEGER, offsetMillis: 0 }

export const makeTallies = ({ dialect, read }: Database, { sql }: Rule) => {
  const { integer: int, table } = dialect
  const send = table("send")

  /** A claim that nobody settled ended when it was made. */
  const facts = (row: string) =>
    `${sql.standing(row)} as standing, coalesce(${row}.settled_at, ${row}.claimed_at) as at, ${row}.reason`

  const again = `select key from ${send} where key > $from and key < $to and attempt > 0`

  /** One row for each key, as it stands. Only the few keys with several attempts need to be compared. */
  const keys = `(
    select ${facts("stored")} from ${send} as stored where ${inRange} and key not in (${again})
    union all
    select standing, at, reason from (
      select ${facts("stored")}, row_number() over (
        partition by key order by ${sql.rank("stored")}, attempt desc
      ) as rank
      from ${send} as stored where ${inRange} and key in (${again})
    ) as attempts where rank = 1
  ) as known`

  /**
   * Returns the states and their reasons, the most frequent first. With a step, also by time: rows of one
   * tally ended within `widthMillis`, of which the first begin `offsetMillis` before a multiple of it.
   */
  const tallies = (campaign: string, step = allTime) => {
    return rowsOf(
      read(
        `select standing, reason, cast(count(*) as ${int}) as total,
          min(at) as first_at, max(at) as last_at
        from ${keys} group by standing, reason, (at + cast($offset as ${int})) / cast($width as ${int})
        order by total desc, standing, reason`,
        { ...rangeOf(campaign), offset: step.offsetMillis, width: step.widthMillis }
      ),
      (row): Tally => ({
        state: oneOf(row, "standing", stateNames),
        reason: optional(row, "reason", text),
        count: integer(row, "total"),
        firstAt: integer(row, "first_at"),
        lastAt: integer(row, "last_at")
      })
    )
  }

  /** Returns how many rows of a campaign are in each state. */
  const counts = (campaign: string) => Effect.map(tallies(campaign), countsOf)

  return { counts, tallies }
}
