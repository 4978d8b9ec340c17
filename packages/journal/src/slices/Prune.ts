/**
 * Deletes old sends, settled or of unknown outcome.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Database } from "../database/Database.ts"
import { Integer, decoderOf } from "../database/ResultDecoder.ts"
import { idsPerSlice } from "./Slices.ts"

const ids = decoderOf(Schema.Struct({ id: Integer }))

const rowStates = { settled: "('sent', 'rejected')", unknown: "('unknown')" } as const

export const makePrune = ({ dialect, query: ask, transaction }: Database) => {
  const once = dialect.table("once")
  const counted = dialect.table("counted")
  const send = dialect.table("send")
  const slices = dialect.table("slice")

  /** One transaction for each slice, so that other processes wait for one slice at most. */
  const pruneSlice = (slice: number, before: number, what: keyof typeof rowStates) =>
    transaction((query) =>
      Effect.gen(function* () {
        const first = slice * idsPerSlice
        const range = [first, first + idsPerSlice - 1] as const
        const deleted = yield* query(
          `delete from ${send} where id between $1 and $2 and at < $3
          and state in ${rowStates[what]} returning id`,
          ...range,
          before
        )
        yield* query(
          `delete from ${slices} where id = $1
          and not exists (select 1 from ${send} where id between $2 and $3)`,
          slice,
          ...range
        )
        return deleted.length
      })
    )

  /**
   * Settled sends that still block another send stay. The statement below also keeps those that count for
   * a limit.
   */
  const onceCondition = {
    settled: `settled_at < $1 and state in ('sent', 'rejected')
      and (expires_at is null or expires_at < $2)`,
    unknown: `state in ('claimed', 'unknown', 'resend') and coalesce(settled_at, stale_at) < $1`
  } as const

  return Effect.fnUntraced(function* (olderThan: Duration.Duration, what: keyof typeof rowStates) {
    const now = yield* Clock.currentTimeMillis
    const before = now - Duration.toMillis(olderThan)
    const done = yield* ids(yield* ask(`select id from ${slices} where done_at < $1`, before))
    let count = 0
    for (const { id } of done) count += yield* pruneSlice(id, before, what)
    yield* ask(`delete from ${counted} where until <= $1`, now)
    const sends = yield* ask(
      `delete from ${once} where ${onceCondition[what]}
      and not exists (select 1 from ${counted} where claim = ${once}.claim and until > $2)
      returning id`,
      before,
      now
    )
    return count + sends.length
  })
}
