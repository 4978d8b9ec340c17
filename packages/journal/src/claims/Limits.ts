/**
 * Limits: how much was claimed within a sliding period, by scope.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Limit } from "./Claim.ts"
import type { Dialect, Query } from "../database/Database.ts"
import { Integer, decoderOf } from "../database/ResultDecoder.ts"

const times = decoderOf(Schema.Struct({ at: Integer }))
const totals = decoderOf(Schema.Struct({ total: Integer }))

export const makeLimits = ({ integer, table }: Dialect) => {
  const counted = table("counted")

  /** Returns how much was claimed within the period. */
  const used = Effect.fnUntraced(function* (query: Query, now: number, { per, scope }: Limit) {
    const [sum] = yield* totals(
      yield* query(
        `select cast(coalesce(sum(amount), 0) as ${integer}) as total from ${counted} where scope = $1 and at > $2`,
        scope,
        now - Duration.toMillis(per)
      )
    )
    return sum?.total ?? 0
  })

  /** Returns whether the claim exceeds the limit, and when enough earlier claims have left the period. */
  const obstacle = Effect.fnUntraced(function* (query: Query, now: number, limit: Limit) {
    const { amount, max, scope } = limit
    if (amount > max) return { _tag: "LimitReached", limit } as const
    const per = Duration.toMillis(limit.per)
    const excess = (yield* used(query, now, limit)) + amount - max
    if (excess <= 0) return undefined
    const [last] = yield* times(
      yield* query(
        `select at from (
          select at, sum(amount) over (order by at, claim) as freed from ${counted}
          where scope = $1 and at > $2
        ) as leaving where freed >= $3 order by freed limit 1`,
        scope,
        now - per,
        excess
      )
    )
    const retryAfter = Duration.millis((last?.at ?? now) + per - now)
    return { _tag: "LimitReached", limit, retryAfter } as const
  })

  const count = Effect.fnUntraced(function* (
    query: Query,
    now: number,
    id: string,
    limits: ReadonlyArray<Limit>
  ) {
    yield* query(`delete from ${counted} where until <= $1`, now)
    for (const { amount, per, scope } of limits) {
      yield* query(
        `insert into ${counted} (claim, scope, amount, at, until) values ($1, $2, $3, $4, $5)`,
        id,
        scope,
        amount,
        now,
        now + Duration.toMillis(per)
      )
    }
  })

  const uncount = (query: Query, id: string) => query(`delete from ${counted} where claim = $1`, id)

  return { count, obstacle, uncount, used }
}
