/** The time-out of a call. */
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { InvalidInput } from "../errors/ClientFailures.ts"
import { RemainingMillis } from "./Send.ts"
import { parseTimeout, timeoutAdvice } from "./Settings.ts"

/**
 * Limits the time of a call, with its retries and the waits between them. Without it, each attempt has
 * the `timeout` of the client.
 *
 * An outer time-out, such as `Effect.timeout`, interrupts the call, and the outcome of a send is lost.
 * With this one, the call fails with `RequestTimedOut`, or with the error of its last attempt. In a
 * program of several calls, it limits all of them together, and ends only the calls.
 *
 * Errors: `InvalidInput` if the time-out is not positive and finite.
 *
 * @example
 * ```ts
 * import { layerConfig, MessagingTopup, sendOutcome, withCallTimeout } from "@messaging-topup/core"
 * import * as NodeTransport from "@messaging-topup/core/node"
 * import * as Console from "effect/Console"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   const { sendSms } = yield* MessagingTopup
 *   // The sandbox never responds for this number.
 *   const sending = sendSms({ recipient: "+15550000901", message: "Your code is 4711" })
 *   const error = yield* sending.pipe(withCallTimeout("500 millis"), Effect.flip)
 *   yield* Console.log(error._tag, sendOutcome(error)) // RequestTimedOut unknown
 * })
 *
 * await program.pipe(
 *   Effect.provide(Layer.provide(layerConfig, NodeTransport.layer)),
 *   Effect.runPromise
 * )
 * ```
 */
export const withCallTimeout =
  (timeout: Duration.Input) =>
  <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | InvalidInput, R> => {
    const millis = parseTimeout(timeout)
    if (millis === undefined) {
      return Effect.fail(new InvalidInput({ field: "timeout", problem: timeoutAdvice }))
    }
    return Clock.clockWith((clock) => {
      const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
      const end = now() + millis
      return Effect.provideService(call, RemainingMillis, () => end - now())
    })
  }
