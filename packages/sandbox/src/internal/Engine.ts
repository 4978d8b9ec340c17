/**
 * A sandbox without its transport.
 */
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import type { Fault, FaultOptions } from "../Fault.ts"
import type { SandboxStartError } from "../SandboxStartError.ts"
import * as Exchange from "./Exchange.ts"
import * as FaultControl from "./FaultControl.ts"
import * as RequestLog from "./RequestLog.ts"
import * as State from "./State.ts"

/** What decides whether a connection can be made at all. Both do nothing the second time. */
export interface Listener {
  readonly open: Effect.Effect<void, SandboxStartError>
  readonly close: Effect.Effect<void>
}

/** The statuses that `Response` takes. */
const needsResponse = (fault: Fault): boolean =>
  (fault._tag !== "Response" && fault._tag !== "Redirect") ||
  (Number.isInteger(fault.status) && fault.status >= 200 && fault.status <= 599)

export const make = Effect.fnUntraced(function* (token: Redacted.Redacted) {
  const state = yield* State.make
  const log = yield* RequestLog.make
  const faults = yield* FaultControl.make
  const exchange = yield* Exchange.make(state, faults, token)
  const oneAtATime = Semaphore.makeUnsafe(1)

  const controls = (listener: Listener) => {
    // A port that was given up may be another's by now: nothing a test could handle.
    const reopen = Effect.orDie(listener.open)

    const setFault = Effect.fnUntraced(function* (fault: Fault, options?: FaultOptions) {
      if (!needsResponse(fault)) {
        return yield* Effect.die(new RangeError("A fault responds with a status from 200 to 599"))
      }
      if (fault._tag === "ConnectionRefused") {
        yield* faults.set(fault, Infinity)
        return yield* listener.close
      }
      yield* faults.set(fault, options?.times ?? Infinity)
      return yield* reopen
    }, oneAtATime.withPermit)

    const clearFault = oneAtATime.withPermit(Effect.andThen(faults.clear, reopen))

    return {
      accepted: state.accepted,
      received: log.received,
      awaitReceived: log.awaitReceived,
      nextDisconnect: log.nextDisconnect,
      setFault,
      clearFault,
      reset: clearFault.pipe(Effect.andThen(state.reset), Effect.andThen(log.reset))
    }
  }

  return { log, faults, exchange, controls }
})
