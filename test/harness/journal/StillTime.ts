/** Time that stands still, so that a busy machine does not end the wait for a lock. Sleeping takes its time. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export const withoutTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const now = clock.currentTimeMillisUnsafe()
    const still = {
      currentTimeMillis: Effect.succeed(now),
      currentTimeMillisUnsafe: () => now
    }
    return Effect.provideService(effect, Clock.Clock, Object.assign(Object.create(clock), still))
  })
