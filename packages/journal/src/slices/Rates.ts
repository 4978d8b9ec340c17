/**
 * The rates that all processes share: for each, the journal stores when the next turn may begin.
 */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import * as Schema from "effect/Schema"
import type { RateTurn, Reservation } from "./CampaignJournal.ts"
import type { JournalError } from "../errors/JournalError.ts"
import type { Database } from "../database/Database.ts"
import { Integer, decoderOf } from "../database/ResultDecoder.ts"

/**
 * No process reserves further ahead than this. A stored time beyond it comes from a clock that was wrong.
 */
const maxAhead = { micros: 60_000_000, turns: 10 }

/**
 * A turn is reserved at most so long before it comes: long enough for the statements, and so short that a
 * turn which waits for another rate costs its own rate nothing.
 */
const reservedAheadMicros = 100_000

const turns = decoderOf(Schema.Struct({ next_at: Integer }))

/** Rolls the reservations of the other rates back. */
class TooEarly extends Data.TaggedError("TooEarly")<{ readonly micros: number }> {}

/** Transactions that lock the same rates do it in the same order. */
const byScope = Order.mapInput(Order.String, ({ scope }: RateTurn) => scope)

const durationOf = (micros: number): Duration.Duration => Duration.micros(BigInt(micros))

export const makeRates = ({ dialect, transaction }: Database) => {
  const { integer, table } = dialect
  const now = `cast($2 as ${integer})`
  const cost = `cast($3 as ${integer})`
  const latest = `cast($4 as ${integer})`

  /** A single statement, so that no two processes get the same time. Times are in microseconds. */
  const statement = `insert into ${table("rate")} as stored (scope, next_at) values ($1, ${now} + ${cost})
    on conflict (scope) do update
    set next_at = ${cost}
      + case when stored.next_at between ${now} and ${latest} then stored.next_at else ${now} end
    returning next_at`

  const reserve = (rates: ReadonlyArray<RateTurn>): Effect.Effect<Reservation, JournalError> =>
    transaction((query) =>
      Effect.gen(function* () {
        const micros = (yield* Clock.currentTimeMillis) * 1000
        let wait = 0
        for (const { amount, perSecond, scope } of rates.toSorted(byScope)) {
          const reserved = Math.round((amount * 1_000_000) / perSecond)
          const ahead = micros + maxAhead.micros + maxAhead.turns * reserved
          const [turn] = yield* turns(yield* query(statement, scope, micros, reserved, ahead))
          wait = Math.max(wait, (turn?.next_at ?? 0) - reserved - micros)
        }
        const early = wait - reservedAheadMicros
        if (early > 0) return yield* new TooEarly({ micros: early })
        return { isReserved: true, wait: durationOf(wait) }
      })
    ).pipe(
      Effect.catchTag("TooEarly", ({ micros }) =>
        Effect.succeed({ isReserved: false, wait: durationOf(micros) })
      )
    )

  return { reserve }
}
