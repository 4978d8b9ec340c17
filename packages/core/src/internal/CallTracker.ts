/**
 * Effects as promises: signals, and a client that waits for its calls when it is closed.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { Aborted } from "../errors/Aborted.ts"
import { ClientClosed } from "../errors/ClientClosed.ts"
import { InvalidInput } from "../errors/InvalidInput.ts"

export type Rejection<E> = E | InvalidInput | Aborted | ClientClosed

const rejectionOf = <E>(cause: Cause.Cause<E>): Rejection<E> => {
  const error = Cause.findErrorOption(cause)
  if (Option.isSome(error)) return error.value
  if (Cause.hasInterrupts(cause)) return new Aborted({ started: true })
  throw Cause.squash(cause)
}

/** A controller in place of its signal is an easy slip, and would leave the call without one. */
const isSignal = (value: unknown): boolean =>
  Predicate.hasProperty(value, "aborted") && Predicate.hasProperty(value, "addEventListener")

const refusal = (signal: AbortSignal | undefined): Aborted | InvalidInput | undefined => {
  if (Predicate.isNullish(signal)) return undefined
  if (!isSignal(signal))
    return new InvalidInput({ field: "signal", problem: "Expected AbortSignal" })
  return signal.aborted ? new Aborted({ started: false }) : undefined
}

const run = <A, E>(
  operation: Effect.Effect<A, E>,
  signal: AbortSignal | undefined
): Promise<Result.Result<A, Rejection<E>>> => {
  const refused = refusal(signal)
  return refused !== undefined
    ? Promise.resolve(Result.fail(refused))
    : Effect.runPromiseExit(operation, signal && { signal }).then((exit) =>
        Exit.isSuccess(exit) ? Result.succeed(exit.value) : Result.fail(rejectionOf(exit.cause))
      )
}

/** Calls in flight, so that closing can wait for them: an SMS that is cut off is one unknown more. */
export const makeCallTracker = () => {
  const inFlight = new Set<Promise<unknown>>()
  let isClosed = false
  return {
    start: <A, E>(
      operation: Effect.Effect<A, E>,
      signal: AbortSignal | undefined
    ): Promise<Result.Result<A, Rejection<E>>> => {
      if (isClosed) return Promise.resolve(Result.fail(new ClientClosed({})))
      const call = run(operation, signal).finally(() => inFlight.delete(call))
      inFlight.add(call)
      return call
    },
    close: (): Promise<void> => {
      isClosed = true
      return Promise.allSettled(inFlight).then(() => undefined)
    }
  }
}
