/**
 * Runs effects as promises: handles abort signals, and waits for the calls in flight on close.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { OnRequestStart, OnResponseStart } from "../call/Send.ts"
import type { InvalidInput } from "../errors/ClientFailures.ts"
import { Aborted, ClientClosed } from "../errors/PromiseErrors.ts"

type Rejection<E> = E | InvalidInput | Aborted | ClientClosed

/** Returns `undefined` after a defect. */
const rejectionOf = <E>(
  cause: Cause.Cause<E>,
  aborted: ConstructorParameters<typeof Aborted>[0]
): Rejection<E> | undefined => {
  const error = Cause.findErrorOption(cause)
  if (Option.isSome(error)) return error.value
  return Cause.hasInterrupts(cause) ? new Aborted(aborted) : undefined
}

/** Notes how far the current attempt is. */
const following = <A, E>(
  operation: Effect.Effect<A, E>,
  aborted: { started: boolean; status?: number }
): Effect.Effect<A, E> =>
  operation.pipe(
    Effect.provideService(OnRequestStart, () => {
      delete aborted.status
      return (aborted.started = true)
    }),
    Effect.provideService(OnResponseStart, (status) => {
      aborted.status = status
    })
  )

type Fibers = Set<Fiber.Fiber<unknown, unknown>>

/** Makes one promise, because each costs a call some of its time. */
const run = <A, E>(
  operation: Effect.Effect<A, E>,
  signal: AbortSignal | null | undefined,
  inFlight: Fibers
): Promise<Result.Result<A, Rejection<E>>> =>
  new Promise((resolve, reject) => {
    const aborted = { started: Predicate.isNullish(signal) }
    const fiber = Predicate.isNullish(signal)
      ? Effect.runFork(operation)
      : Effect.runFork(following(operation, aborted), { signal })
    inFlight.add(fiber)
    fiber.addObserver((exit) => {
      inFlight.delete(fiber)
      if (Exit.isSuccess(exit)) return resolve(Result.succeed(exit.value))
      const rejection = rejectionOf(exit.cause, aborted)
      return rejection === undefined
        ? reject(Cause.squash(exit.cause))
        : resolve(Result.fail(rejection))
    })
  })

/** Closing waits for the calls in flight, because the outcome of an interrupted send is unknown. */
export const makeCallTracker = () => {
  const inFlight: Fibers = new Set()
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
      const { signal } = options.success
      return signal?.aborted === true
        ? Promise.resolve(Result.fail(new Aborted({ started: false })))
        : run(operation(options.success), signal, inFlight)
    },
    /** A wait can take hours, and sends nothing, so the close ends it. */
    untilClosed: <A, E>(wait: Effect.Effect<A, E>): Effect.Effect<A, E | ClientClosed> =>
      Effect.raceFirst(wait, Effect.andThen(Deferred.await(closing), closed)),
    close: (): Promise<void> => {
      isClosed = true
      Deferred.doneUnsafe(closing, Effect.void)
      return Effect.runPromise(Effect.asVoid(Fiber.awaitAll(inFlight)))
    }
  }
}
