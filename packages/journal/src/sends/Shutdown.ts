/** Done when a program closes its journal: from then on no claim begins, and what has been claimed ends. */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

export const Shutdown = Context.Reference<Deferred.Deferred<void>>(
  "@messaging-topup/journal/sends/Shutdown",
  { defaultValue: () => Deferred.makeUnsafe() }
)

/** For what claims nothing: it is interrupted when the journal is closed. */
export const untilShutdown = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Shutdown, (shutdown) =>
    Effect.raceFirst(effect, Effect.andThen(Deferred.await(shutdown), Effect.interrupt))
  )
