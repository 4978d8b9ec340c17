/**
 * Lists and counts single sends.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SendFilter } from "./Claim.ts"
import { columns, decodeEntries, sendOf } from "./ClaimRows.ts"
import { type Database, toleranceMillis } from "../database/Database.ts"
import { decoderOf, Integer } from "../database/ResultDecoder.ts"

const counts = decoderOf(Schema.Struct({ total: Integer, oldest: Schema.optionalKey(Integer) }))

export const makeListing = ({ dialect, query: ask }: Pick<Database, "dialect" | "query">) => {
  const once = dialect.table("once")

  const recent = Effect.fnUntraced(function* (filter: SendFilter, limit: number) {
    const now = yield* Clock.currentTimeMillis
    const found = yield* ask(
      `select ${columns} from ${once}
      where principal = coalesce($1, principal)
        and ($2 = 0 or state = 'unknown'
          or state = 'claimed' and (stale_at <= $3 or claimed_at > $4))
        and claimed_at >= $5
        and ($6 = '' or id < (select id from ${once} where claim = $6))
      order by id desc limit $7`,
      filter.principal ?? null,
      filter.unknown === true ? 1 : 0,
      now,
      now + toleranceMillis,
      filter.since ?? 0,
      filter.before ?? "",
      limit
    )
    return (yield* decodeEntries(found)).map((entry) => sendOf(entry, now))
  })

  const count = Effect.fnUntraced(function* ({
    principal,
    since
  }: Pick<SendFilter, "principal" | "since">) {
    const [counted] = yield* counts(
      yield* ask(
        `select cast(count(*) as ${dialect.integer}) as total, min(claimed_at) as oldest from ${once}
        where principal = coalesce($1, principal) and claimed_at >= $2
          and state not in ('rejected', 'resend')`,
        principal ?? null,
        since ?? 0
      )
    )
    const { oldest, total = 0 } = counted ?? {}
    return { total, ...(oldest === undefined ? {} : { oldestAt: oldest }) }
  })

  return { count, recent }
}
