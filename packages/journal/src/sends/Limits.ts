/**
 * The limit of a server: so many SMS in any hour, of all its callers together. What is claimed, unknown or sent
 * counts, so a late response counts, too, and nothing has to be kept in step.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Dialect, Query, Value } from "../database/Database.ts"
import { integer, rowOf } from "../database/Rows.ts"
import { toleranceMillis } from "../Rule.ts"

/** So many more SMS are too many now. */
export interface LimitReached {
  readonly _tag: "LimitReached"
  /** In any hour. */
  readonly max: number
  /** Of the last hour. */
  readonly used: number
  /** When they fit. Absent if they alone are more than the limit. */
  readonly retryAfter?: Duration.Duration
}

const hourMillis = 60 * 60 * 1000

const first = (query: Query, sql: string, ...params: ReadonlyArray<Value>) =>
  Effect.map(
    rowOf(query(sql, ...params), (row) => integer(row, "value")),
    (value = 0) => value
  )

/** Returns how the limit refuses so many SMS now; undefined if they fit. */
export const makeLimit = ({ integer: int, now, table }: Dialect) => {
  const start = `${now} - ${hourMillis}`

  /**
   * What was claimed while the clock was ahead does not count: it would count until then. SQLite reads a list of
   * states a third slower.
   */
  const counted = `from ${table("send")} where owner = 'server'
    and claimed_at > ${start} and claimed_at <= ${now} + ${toleranceMillis}
    and (state = 'sent' or state = 'claimed' or state = 'unknown')`

  const used = `select cast(count(*) as ${int}) as value ${counted}`

  /** In how many milliseconds so many of them have left the hour. */
  const wait = `select claimed_at - (${start}) as value ${counted}
    order by claimed_at, id limit 1 offset $1`

  return Effect.fnUntraced(function* (query: Query, max: number, messages: number) {
    const before = yield* first(query, used)
    const excess = before + messages - max
    if (excess <= 0) return undefined
    const reached: LimitReached = { _tag: "LimitReached", max, used: before }
    if (messages > max) return reached
    return { ...reached, retryAfter: Duration.millis(yield* first(query, wait, excess - 1)) }
  })
}
