/**
 * Something that is opened when it is first needed.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** Opens it once, and again only where that failed. */
export const opening = <A, E, R>(open: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const oneAtATime = Semaphore.makeUnsafe(1)
  let opened: { readonly value: A } | undefined
  const first = Effect.suspend(() =>
    opened === undefined
      ? Effect.tap(open, (value) =>
          Effect.sync(() => {
            opened = { value }
          })
        )
      : Effect.succeed(opened.value)
  )
  return Effect.suspend(() =>
    opened === undefined
      ? oneAtATime.withPermits(1)(Effect.uninterruptible(first))
      : Effect.succeed(opened.value)
  )
}
