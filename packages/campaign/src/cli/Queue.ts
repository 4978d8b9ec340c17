/**
 * The queue of slices for workers, in the PostgreSQL database of the journal.
 */
import { UsageError } from "@messaging-topup/sandbox/command-line"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { offer } from "../sending/Workers.ts"
import { exitCodes } from "./ExitCodes.ts"
import { CannotRun } from "./Failure.ts"
import * as Journal from "./Journal.ts"
import { counted } from "../report/Format.ts"
import { note, report } from "./Output.ts"
import { sandboxPrefix } from "./Services.ts"

const unavailable = new CannotRun({ problem: "The queue is not available: check the database" })

/** Returns the address of the queue. `what` is the command or option that needs it, for the error. */
export const requireUrl = Effect.fnUntraced(function* (journal: string | undefined, what: string) {
  const choice = yield* Journal.choose(journal)
  return choice._tag === "Postgres"
    ? choice.url
    : yield* new UsageError({
        problem: `${what} needs a journal that other processes can share: give --journal postgres`
      })
})

type QueueUrl = Effect.Success<ReturnType<typeof requireUrl>>

export const layer = (url: QueueUrl) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./PostgresQueue.ts")),
      (Postgres) => Postgres.layer(url)
    )
  )

/** Puts the open slices of a campaign into the queue. Returns the exit code. */
export const enqueue = (campaign: string, url: QueueUrl) =>
  Effect.gen(function* () {
    const slices = yield* Effect.catchTag(offer(campaign), "PersistedQueueError", () =>
      Effect.fail(unavailable)
    )
    yield* report({ event: "Offered", campaign, slices })
    yield* note(
      `${counted(slices, "slice")} in the queue. Start as many workers as you want: npx messaging-topup-campaign work --journal postgres`
    )
    return exitCodes.done
  }).pipe(
    // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
    Effect.provide(layer(url))
  )

/** Returns the address of the queue if `--queue` is given; undefined if this process sends the rows. */
export const urlOf = Effect.fnUntraced(function* (input: {
  readonly queue: boolean
  readonly sandbox: boolean
  readonly campaign: string | undefined
  readonly journal: string | undefined
}) {
  if (!input.queue) return undefined
  if (input.sandbox || input.campaign?.startsWith(sandboxPrefix) === true) {
    return yield* new UsageError({
      problem: "--queue: workers send to the real service, so it cannot go with a sandbox"
    })
  }
  return yield* requireUrl(input.journal, "--queue")
})
