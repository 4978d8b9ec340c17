/**
 * Lets time pass for a journal. A file is told the time by the test's clock; a database tells it itself, so
 * there all that is stored becomes older instead.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

export class Time extends Context.Service<
  Time,
  { readonly pass: (duration: Duration.Input) => Effect.Effect<void> }
>()("test/journal/Time") {}

export const testTime = Layer.succeed(Time, { pass: TestClock.adjust })

const columns = ["claimed_at", "stale_at", "settled_at", "decided_at"]

export const postgresTime = Layer.effect(
  Time,
  Effect.map(PgClient.PgClient, (client) => ({
    pass: (duration) => {
      const millis = Duration.toMillis(Duration.fromInputUnsafe(duration))
      const older = columns.map((name) => `${name} = ${name} - ${millis}`).join(", ")
      const send = client.unsafe(`update messaging_topup_journal.send set ${older}`)
      return Effect.andThen(Effect.orDie(send), TestClock.adjust(duration))
    }
  }))
)
