/**
 * The queue that hands slices to workers. It is in the database that holds the journal.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import { offer } from "../Workers.ts"
import { exitCodes } from "./ExitCodes.ts"
import { CannotRun, UsageError } from "./Failure.ts"
import * as Journal from "./Journal.ts"
import { counted, note, report } from "./Output.ts"

const away = new CannotRun({ problem: "The queue is not available: check the database" })

/** Where the queue is. `what` is the command or the option that needs one. */
export const choose = Effect.fnUntraced(function* (journal: Option.Option<string>, what: string) {
  const choice = yield* Journal.choose(journal)
  return choice._tag === "Postgres"
    ? choice.url
    : yield* new UsageError({
        problem: `${what} shares the rows with other processes: give --journal postgres`
      })
})

export type Place = Effect.Success<ReturnType<typeof choose>>

export const layer = (url: Place) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./PostgresQueue.ts")),
      (Postgres) => Postgres.layer(url)
    )
  )

/** Hands what is left of a campaign to workers. Returns the exit code. */
export const handOver = (campaign: string, url: Place) =>
  Effect.gen(function* () {
    const slices = yield* Effect.catchTag(offer(campaign), "PersistedQueueError", () =>
      Effect.fail(away)
    )
    yield* report({ event: "Offered", campaign, slices })
    yield* note(
      `${counted(slices, "slice")} for workers. Start as many as you want: npx messaging-topup-campaign work --journal postgres`
    )
    return exitCodes.done
  }).pipe(
    // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
    Effect.provide(layer(url))
  )

/** Undefined where the rows are sent by this process. */
export const wanted = (input: {
  readonly queue: boolean
  readonly journal: Option.Option<string>
}): Effect.Effect<Place | undefined, UsageError, Effect.Services<ReturnType<typeof choose>>> =>
  input.queue ? choose(input.journal, "--queue") : Effect.undefined
