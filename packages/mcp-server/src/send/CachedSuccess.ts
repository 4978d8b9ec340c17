/**
 * Caches the success of an effect, and not its failure, as `Effect.cached` would.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** Runs the effect at the first use, and again only after a failure. Concurrent uses share one run. */
export const cachedSuccess = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const oneAtATime = Semaphore.makeUnsafe(1)
  let cached: { readonly value: A } | undefined
  const run = Effect.suspend(() =>
    cached === undefined
      ? Effect.tap(effect, (value) =>
          Effect.sync(() => {
            cached = { value }
          })
        )
      : Effect.succeed(cached.value)
  )
  return Effect.suspend(() =>
    cached === undefined
      ? oneAtATime.withPermits(1)(Effect.uninterruptible(run))
      : Effect.succeed(cached.value)
  )
}
