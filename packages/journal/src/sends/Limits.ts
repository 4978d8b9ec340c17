/**
 * Limits: sums over the sends of the server within a sliding period. What is claimed, unknown or sent counts,
 * so a late response counts, too, and nothing has to be kept in step.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Dialect, Query, Value } from "../database/Database.ts"
import { integer, rowOf } from "../database/Rows.ts"
import { toleranceMillis } from "../Rule.ts"

/** A limit on what the server's sends add up to within a period: those that are claimed, unknown or sent. */
export interface Limit {
  readonly counts: "messages" | "segments"
  /** Whose sends count: those of all callers, or those of the caller who asks. */
  readonly of: "everyone" | "caller"
  readonly max: number
  readonly per: Duration.Duration
}

/** What counts towards limits: one SMS, or the rows of a batch together. */
export interface Amount {
  readonly caller: string
  readonly messages: number
  readonly segments: number
}

/** How far a limit is used. */
export interface Usage {
  readonly limit: Limit
  /** Without the amount that was asked for. */
  readonly used: number
  /** Whether the amount exceeds the limit now. */
  readonly isExceeded: boolean
  /** When the amount fits. Absent if it fits now, or if it alone is more than the limit. */
  readonly retryAfter?: Duration.Duration
}

const paramsOf = ({ of, per }: Limit, { caller }: Amount): ReadonlyArray<Value> => [
  Duration.toMillis(per),
  ...(of === "caller" ? [caller] : [])
]

const first = (query: Query, sql: string, params: ReadonlyArray<Value>) =>
  Effect.map(
    rowOf(query(sql, ...params), (row) => integer(row, "value")),
    (value = 0) => value
  )

export const makeLimits = ({ integer: int, now, table }: Dialect) => {
  const start = `${now} - cast($1 as ${int})`

  /**
   * The sends that count: of all callers, or of `$2`. What was claimed while the clock was ahead does not: it
   * would count until then. SQLite reads a list of states a third slower.
   */
  const counted = ({ of }: Limit) => `from ${table("send")} where owner = 'server'
    and claimed_at > ${start} and claimed_at <= ${now} + ${toleranceMillis}
    and (state = 'sent' or state = 'claimed' or state = 'unknown')
    ${of === "caller" ? "and caller = $2" : ""}`

  const usedOf = (query: Query, limit: Limit, amount: Amount) => {
    const what = limit.counts === "messages" ? "count(*)" : "coalesce(sum(segments), 0)"
    const sql = `select cast(${what} as ${int}) as value ${counted(limit)}`
    return first(query, sql, paramsOf(limit, amount))
  }

  /** In how many milliseconds enough earlier sends have left the period. */
  const waitOf = (query: Query, limit: Limit, amount: Amount, excess: number) => {
    const params = paramsOf(limit, amount)
    const enough = `cast($${params.length + 1} as ${int})`
    const each = limit.counts === "messages" ? "1" : "segments"
    const sql = `select at - (${start}) as value
      from (select claimed_at as at, sum(${each}) over (order by claimed_at, id) as total
        ${counted(limit)}) as leaving
      where total >= ${enough} order by at limit 1`
    return first(query, sql, [...params, excess])
  }

  const usage = Effect.fnUntraced(function* (query: Query, limit: Limit, amount: Amount) {
    const used = yield* usedOf(query, limit, amount)
    const added = amount[limit.counts]
    const excess = used + added - limit.max
    const isExceeded = added > 0 && excess > 0
    const result: Usage = { limit, used, isExceeded }
    if (!isExceeded || added > limit.max) return result
    const millis = yield* waitOf(query, limit, amount, excess)
    return { ...result, retryAfter: Duration.millis(millis) }
  })

  /** How far each limit is used, in the order of the limits. */
  return (query: Query, limits: ReadonlyArray<Limit>, amount: Amount) =>
    Effect.forEach(limits, (limit) => usage(query, limit, amount))
}

const millisOf = ({ retryAfter }: Usage) =>
  retryAfter === undefined ? Infinity : Duration.toMillis(retryAfter)

/** The exceeded limit that takes longest to fit: until then, another one could hold the send back. */
export const longestOf = (usages: ReadonlyArray<Usage>): Usage | undefined =>
  usages
    .filter(({ isExceeded }) => isExceeded)
    .toSorted((one, other) => millisOf(other) - millisOf(one))[0]
