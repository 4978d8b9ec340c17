/**
 * Real sockets under the test's clock: time passes only as the test lets it, so that waits of any
 * length take none, and no time-out strikes because the machine is busy.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"

/** Longer than a test ever lets pass in small steps. */
export const patience = "1 hour"

const turn = Effect.promise(
  () =>
    new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
)

/**
 * Runs a call to its end, time passing in small steps. `stalls` counts the attempts that nothing but
 * the time-out can end; each is given an hour, once.
 */
export const clockwork = <A, E>(
  call: Effect.Effect<A, E>,
  stalls: () => number = () => 0
): Effect.Effect<Exit.Exit<A, E>> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.exit(call))
    let ended = 0
    while (fiber.pollUnsafe() === undefined) {
      yield* turn
      const isStalled = stalls() > ended
      if (isStalled) ended++
      yield* TestClock.adjust(isStalled ? patience : "100 millis")
    }
    return yield* Fiber.join(fiber)
  })

/** Retries come at once: every draw is the least. */
export const hurried = Effect.provideService(Random.Random, {
  nextIntUnsafe: () => 0,
  nextDoubleUnsafe: () => 0
})

/** Runs calls, and counts the responses that have begun: each leaves its status on a span. */
export const countingHeads = () => {
  let begun = 0
  class CountingSpan extends Tracer.NativeSpan {
    override attribute(key: string, value: unknown): void {
      if (key === "http.response.status_code") begun++
      super.attribute(key, value)
    }
  }
  const tracer = Tracer.make({ span: (options) => new CountingSpan(options) })
  return {
    begun: () => begun,
    counted: <A, E, R>(call: Effect.Effect<A, E, R>) =>
      Effect.provideService(call, Tracer.Tracer, tracer)
  }
}

/** Runs calls, and counts the attempts that have ended: each has a client span. */
export const countingAttempts = (onEnd: () => void = () => {}) => {
  let ended = 0
  class CountingSpan extends Tracer.NativeSpan {
    override end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
      super.end(endTime, exit)
      if (this.kind !== "client") return
      ended++
      onEnd()
    }
  }
  const tracer = Tracer.make({ span: (options) => new CountingSpan(options) })
  return {
    ended: () => ended,
    counted: <A, E, R>(call: Effect.Effect<A, E, R>) =>
      Effect.provideService(call, Tracer.Tracer, tracer)
  }
}
