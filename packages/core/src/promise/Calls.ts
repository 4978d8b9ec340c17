/**
 * Runs the calls of a client as promises: checks their options, handles abort signals, and waits for them
 * on close.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Checked } from "../call/BaseUrl.ts"
import { type CallProgress, CallsInProgress } from "../call/CallProgress.ts"
import { checkOptions, type Option as CheckedOption, type Values } from "../call/OptionChecks.ts"
import { InvalidInput } from "../errors/ClientFailures.ts"
import type { OperationError } from "../errors/DocumentedErrors.ts"
import { unreadable } from "../errors/Failure.ts"
import { Aborted, ClientClosed } from "../errors/PromiseFailures.ts"
import type { Operations } from "../operations/Model.ts"
import type { CallOptions } from "./Types.ts"

type Rejection = OperationError | Aborted | ClientClosed

/**
 * Catches an `AbortController` passed in place of its signal, which could not abort the call, and a
 * signal of a library that has only a part of the standard's methods.
 */
const isSignal = (value: unknown): value is AbortSignal =>
  Predicate.hasProperty(value, "aborted") &&
  Predicate.hasProperty(value, "addEventListener") &&
  Predicate.hasProperty(value, "removeEventListener")

/**
 * Calls `onAbort` when the signal is aborted. Returns whether it is already; `undefined` if the signal is no such thing:
 * that of a library can throw.
 */
const listen = (signal: AbortSignal, onAbort: () => void): boolean | undefined =>
  Result.getOrUndefined(
    Result.try(() => {
      if (signal.aborted) return true
      signal.addEventListener("abort", onAbort, { once: true })
      return false
    })
  )

const noSignal = "Expected AbortSignal"

const signalOf = (value: unknown): Checked<AbortSignal | undefined> => {
  if (Predicate.isNullish(value)) return Result.succeed(undefined)
  return isSignal(value) ? Result.succeed(value) : Result.fail(noSignal)
}

const callOptions = {
  signal: { check: signalOf, default: undefined }
} satisfies Readonly<Record<keyof CallOptions, CheckedOption<unknown>>>

/** The service checks a query. */
const listOptions = {
  ...callOptions,
  query: { check: (value: unknown) => Result.succeed(value), default: undefined }
}

type Options = Partial<Values<typeof listOptions>>

type Read = Result.Result<Options, InvalidInput>

const noOptions: Read = Result.succeed({})

/** A script without types can pass anything. */
const readOptions = (operation: keyof Operations, given: unknown): Read => {
  if (Predicate.isNullish(given)) return noOptions
  const bag = Result.try({
    try: (): unknown => (Predicate.isObject(given) ? { ...given } : given),
    catch: () => ({ setting: "options", problem: unreadable })
  })
  const table = operation === "listDataBundles" ? listOptions : callOptions
  return Result.mapError(
    Result.flatMap(bag, (each) => checkOptions(table, each)),
    ({ problem, setting: field }) => new InvalidInput({ operation, field, problem })
  )
}

const abortedAt = (operation: keyof Operations, calls: ReadonlyArray<CallProgress>): Aborted => {
  const { head, started = false } = calls.at(-1) ?? {}
  return new Aborted({ operation, started, ...(head && { status: head.status }) })
}

const lineOf = (
  operation: keyof Operations,
  result: Result.Result<unknown, Rejection>,
  calls: ReadonlyArray<CallProgress>,
  millis: number
): string => {
  const requests = calls.reduce((sum, call) => sum + call.requests, 0)
  const status = calls.at(-1)?.head?.status
  const { _tag, sendOutcome } = Result.isFailure(result)
    ? result.failure
    : { _tag: undefined, sendOutcome: operation === "sendSms" ? "sent" : undefined }
  const parts = [
    sendOutcome ?? [],
    _tag ?? [],
    status === undefined ? [] : `HTTP ${status}`,
    requests === 1 ? "1 request" : `${requests} requests`,
    `${Math.round(millis)} ms`
  ]
  return `${operation}: ${parts.flat().join(", ")}`
}

/** Closing waits for the calls in flight, because the outcome of an interrupted send is unknown. */
export const makeCalls = (debug: ((line: string) => void) | undefined) => {
  const inFlight = new Set<Fiber.Fiber<unknown, unknown>>()
  let isClosed = false

  /** Makes one promise, because each costs a call some of its time. */
  const run = <A>(
    operation: keyof Operations,
    call: Effect.Effect<A, OperationError>,
    signal: AbortSignal | undefined,
    calls: Array<CallProgress>
  ): Promise<Result.Result<A, Rejection>> =>
    new Promise((resolve, reject) => {
      const fiber =
        debug === undefined && signal === undefined
          ? Effect.runFork(call)
          : Effect.runFork(
              Effect.provideService(call, CallsInProgress, calls),
              signal === undefined ? {} : { signal }
            )
      inFlight.add(fiber)
      fiber.addObserver((exit) => {
        inFlight.delete(fiber)
        if (Exit.isSuccess(exit)) return resolve(Result.succeed(exit.value))
        const error = Cause.findErrorOption(exit.cause)
        if (Option.isSome(error)) return resolve(Result.fail(error.value))
        return Cause.hasInterrupts(exit.cause)
          ? resolve(Result.fail(abortedAt(operation, calls)))
          : reject(Cause.squash(exit.cause))
      })
    })

  const start = <A>(
    operation: keyof Operations,
    given: unknown,
    call: (options: Options) => Effect.Effect<A, OperationError>,
    calls: Array<CallProgress>
  ): Promise<Result.Result<A, Rejection>> => {
    if (isClosed) return Promise.resolve(Result.fail(new ClientClosed({ operation })))
    const options = readOptions(operation, given)
    if (Result.isFailure(options)) return Promise.resolve(Result.fail(options.failure))
    const { signal } = options.success
    const calling = call(options.success)
    if (signal === undefined) return run(operation, calling, undefined, calls)
    // Heard before the start: when a signal throws, its request must not be on its way.
    const own = new AbortController()
    const abort = () => own.abort()
    const isAborted = listen(signal, abort)
    if (isAborted === undefined) {
      const wrong = new InvalidInput({ operation, field: "signal", problem: noSignal })
      return Promise.resolve(Result.fail(wrong))
    }
    return isAborted
      ? Promise.resolve(Result.fail(new Aborted({ operation, started: false })))
      : run(operation, calling, own.signal, calls).finally(() => {
          Result.try(() => signal.removeEventListener("abort", abort))
        })
  }

  /** Throws the failure with the stack of the caller: an effect runs on its own stack. */
  // @effect-diagnostics-next-line asyncFunction:off -- only `await` leaves the caller on the stack
  const settled = async <A>(
    operation: keyof Operations,
    given: unknown,
    call: (options: Options) => Effect.Effect<A, OperationError>
  ): Promise<A> => {
    const calls: Array<CallProgress> = []
    const began = performance.now()
    const result = await start(operation, given, call, calls)
    if (debug !== undefined) {
      const line = lineOf(operation, result, calls, performance.now() - began)
      // A function of the program can throw or reject, and the SMS went out all the same.
      new Promise((resolve) => resolve(debug(line))).catch(() => {})
    }
    if (Result.isSuccess(result)) return result.success
    Error.captureStackTrace?.(result.failure, settled)
    throw result.failure
  }

  return {
    settled,
    close: (): Promise<void> => {
      isClosed = true
      return Effect.runPromise(Effect.asVoid(Fiber.awaitAll(inFlight)))
    }
  }
}
