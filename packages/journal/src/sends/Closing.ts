/** Done when a program closes its journal: from then on no claim begins, and what has been claimed ends. */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

export const Closing = Context.Reference<Deferred.Deferred<void>>(
  "@messaging-topup/journal/sends/Closing",
  { defaultValue: () => Deferred.makeUnsafe() }
)

/** For what claims nothing: it is interrupted when the journal is closed. */
export const untilClosed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Closing, (closed) =>
    Effect.raceFirst(effect, Effect.andThen(Deferred.await(closed), Effect.interrupt))
  )
