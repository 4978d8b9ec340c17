/**
 * Real sockets with the test's clock. Time only passes when the test says so: long waits take no
 * time, and a busy machine causes no time-out.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as TestClock from "effect/testing/TestClock"
import { setImmediate as nextTurn } from "node:timers/promises"
import { type CallProgress, CallsInProgress } from "../../packages/core/src/call/CallProgress.ts"

/** Longer than all small steps of a test together. */
export const patience = "1 hour"

/** One turn of the event loop, so that fibers and sockets can continue. */
export const turn = Effect.promise(() => nextTurn())

export const turns = (count: number) => Effect.repeat(turn, { times: count })

/** Lets time pass second by second, and the fibers and the event loop continue after each. */
export const pass = (seconds: number): Effect.Effect<void> =>
  turns(10).pipe(
    Effect.andThen(TestClock.adjust("1 second")),
    Effect.repeat({ times: seconds - 1 }),
    Effect.andThen(turns(10))
  )

export const afterTurns = (count: number, then: () => void): void => {
  if (count === 0) then()
  else setImmediate(() => afterTurns(count - 1, then))
}

/**
 * Runs a call to its end, with time in small steps. `stalls` returns the number of requests that
 * only the time-out can end. For each of them, one hour passes.
 */
export const runInTestTime = <A, E, R>(
  call: Effect.Effect<A, E, R>,
  stalls: () => number = () => 0
): Effect.Effect<Exit.Exit<A, E>, never, R> =>
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

/** Runs with these random numbers from 0 to 1: a wait before a retry is such a share of the longest. */
export const withRandom = (nextDoubleUnsafe: () => number) =>
  Effect.provideService(Random.Random, { nextIntUnsafe: () => 0, nextDoubleUnsafe })

export const withoutRetryDelays = withRandom(() => 0)

/** Runs a call, and counts its requests that only the time-out ends. */
export const stallsOf = (
  where: "before the start" | "before the headers" | "after the headers" | undefined,
  requests: () => number = () => 0
) => {
  const calls: Array<CallProgress> = []
  const sum = (count: (call: CallProgress) => number) => () =>
    calls.reduce((total, call) => total + count(call), 0)
  const counts = {
    never: () => 0,
    "before the start": sum((call) => call.requests),
    "before the headers": requests,
    "after the headers": sum((call) => call.requests - (call.head === undefined ? 1 : 0))
  }
  return {
    stalled: counts[where ?? "never"],
    counted: <A, E, R>(call: Effect.Effect<A, E, R>) =>
      Effect.provideService(call, CallsInProgress, calls)
  }
}
