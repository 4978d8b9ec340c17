/**
 * The time-out of a call.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
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
 * @since 0.1.0
 */
export const withCallTimeout =
  (timeout: Duration.Input) =>
  <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | InvalidInput, R> => {
    const duration = parseTimeout(timeout)
    if (Option.isNone(duration)) {
      return Effect.fail(new InvalidInput({ field: "timeout", problem: timeoutAdvice }))
    }
    return Clock.clockWith((clock) => {
      const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
      const end = now() + Duration.toMillis(duration.value)
      return Effect.provideService(call, RemainingMillis, () => end - now())
    })
  }
