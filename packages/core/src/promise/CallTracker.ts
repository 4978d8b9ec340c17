/**
 * Runs effects as promises: handles abort signals, and waits for the calls in flight on close.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { OnRequestStart } from "../call/Send.ts"
import type { InvalidInput } from "../errors/ClientFailures.ts"
import { Aborted, ClientClosed } from "../errors/PromiseErrors.ts"

type Rejection<E> = E | InvalidInput | Aborted | ClientClosed

const rejectionOf = <E>(cause: Cause.Cause<E>, hasStarted: boolean): Rejection<E> => {
  const error = Cause.findErrorOption(cause)
  if (Option.isSome(error)) return error.value
  if (Cause.hasInterrupts(cause)) return new Aborted({ started: hasStarted })
  throw Cause.squash(cause)
}

const run = <A, E>(
  operation: Effect.Effect<A, E>,
  signal: AbortSignal | null | undefined
): Promise<Result.Result<A, Rejection<E>>> => {
  if (Predicate.isNullish(signal)) {
    return Effect.runPromiseExit(operation).then((exit) =>
      Exit.isSuccess(exit) ? Result.succeed(exit.value) : Result.fail(rejectionOf(exit.cause, true))
    )
  }
  if (signal.aborted) return Promise.resolve(Result.fail(new Aborted({ started: false })))
  let hasStarted = false
  const watched = Effect.provideService(operation, OnRequestStart, () => {
    hasStarted = true
    return true
  })
  return Effect.runPromiseExit(watched, { signal }).then((exit) =>
    Exit.isSuccess(exit)
      ? Result.succeed(exit.value)
      : Result.fail(rejectionOf(exit.cause, hasStarted))
  )
}

/** Closing waits for the calls in flight, because the outcome of an interrupted send is unknown. */
export const makeCallTracker = () => {
  const inFlight = new Set<Promise<unknown>>()
  const closing = Deferred.makeUnsafe<void>()
  const closed = Effect.suspend(() => Effect.fail(new ClientClosed({})))
  let isClosed = false
  return {
    start: <A, E, O extends { readonly signal?: AbortSignal | undefined }>(
      options: Result.Result<O, InvalidInput>,
      operation: (options: O) => Effect.Effect<A, E>
    ): Promise<Result.Result<A, Rejection<E>>> => {
      if (isClosed) return Promise.resolve(Result.fail(new ClientClosed({})))
      if (Result.isFailure(options)) return Promise.resolve(Result.fail(options.failure))
      const call = run(operation(options.success), options.success.signal).finally(() =>
        inFlight.delete(call)
      )
      inFlight.add(call)
      return call
    },
    /** A wait can take hours, and sends nothing, so the close ends it. */
    untilClosed: <A, E>(wait: Effect.Effect<A, E>): Effect.Effect<A, E | ClientClosed> =>
      Effect.raceFirst(wait, Effect.andThen(Deferred.await(closing), closed)),
    close: (): Promise<void> => {
      isClosed = true
      Deferred.doneUnsafe(closing, Effect.void)
      return Promise.allSettled(inFlight).then(() => undefined)
    }
  }
}
