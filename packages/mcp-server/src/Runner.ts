/**
 * Effects as the promises that the SDK takes.
 */
import type { MessagingTopup } from "@messaging-topup/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { SendGuard } from "./send/SendGuard.ts"

export type Services = MessagingTopup | SendGuard

/** Interrupts the effect when the signal aborts. */
export type Run = <A, E>(effect: Effect.Effect<A, E, Services>, signal?: AbortSignal) => Promise<A>

/** With the services, the loggers and the clock of the fiber that makes it. */
export const make: Effect.Effect<Run, never, Services> = Effect.map(
  Effect.context<Services>(),
  (context): Run => {
    const runExit = Effect.runPromiseExitWith(context)
    return (effect, signal) =>
      // A call that is cancelled before it starts must not start.
      signal?.aborted === true
        ? Promise.reject(signal.reason)
        : runExit(effect, signal === undefined ? {} : { signal }).then((exit) =>
            Exit.isSuccess(exit) ? exit.value : Promise.reject(Cause.squash(exit.cause))
          )
  }
)
