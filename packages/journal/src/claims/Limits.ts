/**
 * Limits: how much was claimed within a sliding period, by scope.
 *
 * Each row has the running total of its scope, in the order of time. So the sum of a period is the
 * difference of two rows, and a claim takes as long after a million others as after the first.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Limit } from "./Claim.ts"
import type { Dialect, Query } from "../database/Database.ts"
import { Integer, decoderOf } from "../database/ResultDecoder.ts"

const decodeSums = decoderOf(
  Schema.Struct({ scope: Schema.String, sum: Integer, oldest: Integer, latest: Integer })
)
const decodeTimes = decoderOf(Schema.Struct({ at: Integer }))
const decodeGone = decoderOf(
  Schema.Struct({ scope: Schema.String, amount: Integer, at: Integer, total: Integer })
)

/** How much was claimed in the period of a limit, and when its first and its last row were written. */
type Sum = Effect.Success<ReturnType<typeof decodeSums>>[number]

/** A scope that several limits name is counted once. */
const countedOf = (limits: ReadonlyArray<Limit>): ReadonlyArray<Limit> => [
  ...new Map(
    limits.filter(({ amount }) => amount > 0).map((limit) => [limit.scope, limit])
  ).values()
]

const listOf = (limits: ReadonlyArray<Limit>): string =>
  JSON.stringify(
    limits.map(({ amount, per, scope }) => ({ scope, amount, per: Duration.toMillis(per) }))
  )

/** Rows that no longer count are deleted several at a time, not one with each claim. */
const keptPeriods = 1.125

/** The lock of everything that changes the sums. */
export const limitsLock = "limits"

export const makeLimits = ({ integer, records, table }: Dialect) => {
  const counted = table("counted")
  const limitsIn = (param: string) =>
    records(param, "scope text", `amount ${integer}`, `per ${integer}`)
  const now = `cast($2 as ${integer})`
  const before = `(select total from ${counted} as row where row.scope = fields.scope`
  const backwards = "order by at desc, total desc limit 1)"

  const select = `select scope,
      coalesce(${before} ${backwards} - (
        select total - amount from ${counted} as row
        where row.scope = fields.scope and row.at > ${now} - fields.per order by at, total limit 1
      ), 0) as sum,
      coalesce((select min(at) from ${counted} as row where row.scope = fields.scope), ${now}) as oldest,
      coalesce((select max(at) from ${counted} as row where row.scope = fields.scope), ${now}) as latest
    from ${limitsIn("$1")}`

  const insert = `insert into ${counted} (claim, scope, amount, at, until, total)
    select $3, scope, amount, ${now}, ${now} + per,
      amount + coalesce(${before} and row.at <= ${now} ${backwards}, 0)
    from ${limitsIn("$1")}`

  /** Returns the sums of the limits, by scope. */
  const sums = Effect.fnUntraced(function* (
    query: Query,
    at: number,
    limits: ReadonlyArray<Limit>
  ) {
    if (limits.length === 0) return new Map<string, Sum>()
    const found = yield* decodeSums(yield* query(select, listOf(limits), at))
    return new Map(found.map((sum) => [sum.scope, sum]))
  })

  /** Returns when enough earlier claims have left the period. */
  const timeOf = Effect.fnUntraced(function* (
    query: Query,
    at: number,
    { per, scope }: Limit,
    excess: number
  ) {
    const start = at - Duration.toMillis(per)
    const [leaving] = yield* decodeTimes(
      yield* query(
        `select at from ${counted} where scope = $1 and at > $2 and total >= $3 + (
          select total - amount from ${counted} where scope = $1 and at > $2 order by at, total limit 1
        ) order by at, total limit 1`,
        scope,
        start,
        excess
      )
    )
    return Duration.millis((leaving?.at ?? at) - start)
  })

  /** Returns the limit that the claim exceeds the longest: until then, another one could hold it back. */
  const obstacle = Effect.fnUntraced(function* (
    query: Query,
    at: number,
    limits: ReadonlyArray<Limit>,
    known: ReadonlyMap<string, Sum>
  ) {
    let longest: { _tag: "LimitReached"; limit: Limit; retryAfter: Duration.Duration } | undefined
    for (const limit of limits) {
      const { amount, max, scope } = limit
      if (amount > max) return { _tag: "LimitReached", limit } as const
      const excess = (known.get(scope)?.sum ?? 0) + amount - max
      if (excess <= 0) continue
      const retryAfter = yield* timeOf(query, at, limit, excess)
      if (longest === undefined || Duration.isGreaterThan(retryAfter, longest.retryAfter)) {
        longest = { _tag: "LimitReached", limit, retryAfter }
      }
    }
    return longest
  })

  const count = Effect.fnUntraced(function* (
    query: Query,
    at: number,
    id: string,
    limits: ReadonlyArray<Limit>,
    known: ReadonlyMap<string, Sum>
  ) {
    const fresh = countedOf(limits)
    for (const { amount, per, scope } of fresh) {
      const { latest = at, oldest = at } = known.get(scope) ?? {}
      const period = Duration.toMillis(per)
      if (oldest <= at - keptPeriods * period) {
        yield* query(`delete from ${counted} where scope = $1 and at <= $2`, scope, at - period)
      }
      // The clock of another process is ahead.
      if (latest > at) {
        yield* query(
          `update ${counted} set total = total + $3 where scope = $1 and at > $2`,
          scope,
          at,
          amount
        )
      }
    }
    if (fresh.length > 0) yield* query(insert, listOf(fresh), at, id)
  })

  /** Takes a claim out of its limits. Needs the same lock as a claim. */
  const uncount = Effect.fnUntraced(function* (query: Query, id: string) {
    const gone = yield* decodeGone(
      yield* query(`delete from ${counted} where claim = $1 returning scope, amount, at, total`, id)
    )
    for (const { amount, at, scope, total } of gone) {
      yield* query(
        `update ${counted} set total = total - $4
        where scope = $1 and (at > $2 or at = $2 and total > $3)`,
        scope,
        at,
        total,
        amount
      )
    }
  })

  return { count, obstacle, sums, uncount }
}
