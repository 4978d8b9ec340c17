/**
 * The journal of the guards: it is opened at the start, and the log says when it cannot be used.
 */
import { type JournalError, SendClaims, SendJournal } from "@messaging-topup/journal"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"

export interface StateOptions {
  readonly journal: Layer.Layer<SendClaims | SendJournal, JournalError>
  /** Where it is, for the log. */
  readonly place: string
  /** After this time, ended sends are forgotten that hold back and count for nothing. Absent: never. */
  readonly forgetAfter?: Duration.Duration
}

/** A use of the journal. */
export type Ask<A> = (claims: SendClaims["Service"]) => Effect.Effect<A, JournalError>

/** Anybody may ask whether the state can be written, and each answer costs a write. */
const readyFor = "1 second"

/** Forgets now and then, while the journal is open. */
const forget = (
  context: Context.Context<SendJournal>,
  forgetAfter: Duration.Duration
): Effect.Effect<void> => {
  const { prune } = Context.get(context, SendJournal)
  return Effect.andThen(prune(forgetAfter, "settled"), prune(forgetAfter, "unknown")).pipe(
    Effect.ignore,
    Effect.repeat(Schedule.spaced("1 hour")),
    Effect.asVoid
  )
}

export const make = Effect.fnUntraced(function* ({ forgetAfter, journal, place }: StateOptions) {
  const journalScope = yield* Effect.acquireRelease(Scope.make(), Scope.close)
  // A shutdown does not wait for a database that does not respond.
  const openingScope = yield* Effect.acquireRelease(Scope.make(), Scope.close)
  const opening = Layer.buildWithScope(journal, journalScope).pipe(
    Effect.tap((context) =>
      forgetAfter === undefined
        ? Effect.void
        : Effect.forkIn(forget(context, forgetAfter), openingScope)
    ),
    Effect.forkIn(openingScope),
    Effect.flatMap(Fiber.join)
  )
  // Uninterruptible, because it must not be opened a second time while an abandoned call still opens it.
  const open = Effect.uninterruptible(
    yield* Effect.cachedWithTTL(opening, (exit) => (Exit.isSuccess(exit) ? Duration.infinity : 0))
  )
  let isAvailable = true
  let isClosed = false
  // A check that has begun finds no journal from here on.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isClosed = true
    })
  )

  const sayThatItFails = ({ message }: JournalError) =>
    Effect.suspend(() => {
      if (!isAvailable || isClosed) return Effect.void
      isAvailable = false
      return Effect.logError("state unavailable: nothing is sent").pipe(
        Effect.annotateLogs({ state: place, problem: message })
      )
    })

  const sayThatItWorks = Effect.suspend(() => {
    if (isAvailable) return Effect.void
    isAvailable = true
    return Effect.annotateLogs(Effect.logInfo("state available again"), { state: place })
  })

  /** After a failure to open it, the next use opens it again. */
  const used = <A>(ask: Ask<A>) =>
    open.pipe(
      Effect.flatMap((context) => ask(Context.get(context, SendClaims))),
      Effect.tapError(sayThatItFails)
    )

  const isReady = yield* Effect.cachedWithTTL(
    Effect.isSuccess(
      Effect.tap(
        used((service) => service.check),
        sayThatItWorks
      )
    ),
    readyFor
  )

  // What only reads succeeds on a full disk too: only a write shows that the state works again.
  const use = <A>(ask: Ask<A>) =>
    Effect.tap(used(ask), () => (isAvailable ? Effect.void : Effect.forkIn(isReady, openingScope)))

  return { use, isReady }
})
