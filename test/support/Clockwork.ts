/**
 * Real sockets under the test's clock: time passes only as the test lets it, so that waits of any
 * length take none, and no time-out strikes because the machine is busy.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

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

/** The transport, and how many responses have begun on it. */
export const counting = (transport: Layer.Layer<HttpClient.HttpClient>) => {
  let begun = 0
  return {
    begun: () => begun,
    transport: Layer.effect(
      HttpClient.HttpClient,
      Effect.map(
        HttpClient.HttpClient,
        HttpClient.tap(() => Effect.sync(() => begun++))
      )
    ).pipe(Layer.provide(transport))
  }
}
