/**
 * Runs effects as promises, for the SDK.
 */
import { MessagingTopup } from "@messaging-topup/core"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Identity } from "./send/Rules.ts"
import type { SendGuard } from "./send/SendGuard.ts"
import type { SendMemory } from "./send/SendMemory.ts"
import { Upstream } from "./Upstream.ts"

export type Services = MessagingTopup | SendGuard | SendMemory

/** Interrupts the effect when the signal aborts. */
export type Run = <A, E>(effect: Effect.Effect<A, E, Services>, signal?: AbortSignal) => Promise<A>

/** Uses the loggers and the clock of the fiber that makes it, and the service of the caller. */
export const make: Effect.Effect<
  (identity: Identity) => Run,
  never,
  SendGuard | SendMemory | Upstream
> = Effect.map(
  Effect.context<SendGuard | SendMemory | Upstream>(),
  (context) =>
    (identity): Run => {
      const { serviceOf } = Context.get(context, Upstream)
      const runExit = Effect.runPromiseExitWith(
        Context.add(context, MessagingTopup, serviceOf(identity))
      )
      return (effect, signal) =>
        // A call that was cancelled already must not start.
        signal?.aborted === true
          ? Promise.reject(signal.reason)
          : runExit(effect, signal === undefined ? {} : { signal }).then((exit) =>
              Exit.isSuccess(exit) ? exit.value : Promise.reject(Cause.squash(exit.cause))
            )
    }
)
