/**
 * Counts the requests that have arrived, and waits for a number of them.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

interface Waiter {
  readonly count: number
  readonly deferred: Deferred.Deferred<void>
}

export interface RequestCounter {
  /** Counts one request. */
  readonly count: () => void
  /** Waits until this many requests have arrived. */
  readonly await: (count: number) => Effect.Effect<void>
  readonly clear: () => void
}

export const make = (): RequestCounter => {
  const waiters = new Set<Waiter>()
  let arrivals = 0
  return {
    count: () => {
      arrivals++
      for (const { count, deferred } of waiters) {
        if (arrivals >= count) Deferred.doneUnsafe(deferred, Effect.void)
      }
    },
    await: (count) =>
      Effect.suspend(() => {
        if (arrivals >= count) return Effect.void
        const waiter: Waiter = { count, deferred: Deferred.makeUnsafe() }
        waiters.add(waiter)
        return Effect.ensuring(
          Deferred.await(waiter.deferred),
          Effect.sync(() => waiters.delete(waiter))
        )
      }),
    clear: () => {
      arrivals = 0
    }
  }
}
