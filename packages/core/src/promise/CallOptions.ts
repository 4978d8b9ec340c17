/**
 * Checks the options of a call, because a script without types can pass anything.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { checkNames } from "../call/Settings.ts"
import { InvalidInput } from "../errors/ClientFailures.ts"
import { ConfigurationError } from "../errors/ConfigurationError.ts"
import type { ListDataBundlesOptions } from "../operations/Model.ts"
import type { AwaitSmsStatusOptions, CallOptions } from "./Types.ts"

type Checked<O> = Result.Result<Partial<O>, InvalidInput>

const refuse = (field: string, problem: string) => Result.fail(new InvalidInput({ field, problem }))

/**
 * Catches an `AbortController` passed in place of its signal, which could not abort the call, and a
 * signal of a library that has only a part of the standard's methods.
 */
const isSignal = (value: unknown): boolean =>
  Predicate.hasProperty(value, "aborted") &&
  Predicate.hasProperty(value, "addEventListener") &&
  Predicate.hasProperty(value, "removeEventListener")

const isDuration = (value: unknown, minimum: number): boolean =>
  Number.isFinite(value) && Number(value) >= minimum

const millisAdvice = "give a positive, finite number of milliseconds"

const none: Result.Result<{}> = Result.succeed({})

const checked =
  <O extends CallOptions>(optionNames: Readonly<Record<keyof O & string, true>>) =>
  (given: O | undefined): Checked<O> => {
    if (Predicate.isNullish(given)) return none
    if (!Predicate.isObject(given)) return refuse("options", "Expected an object")
    const read = Result.try(() => ({ ...given }))
    if (Result.isFailure(read)) return refuse("options", "Expected values that can be read")
    const names = checkNames(read.success, optionNames)
    if (Result.isFailure(names)) return refuse(names.failure.setting, names.failure.problem)
    const { signal, timeoutMillis } = read.success
    if (!Predicate.isNullish(signal) && !isSignal(signal)) {
      return refuse("signal", "Expected AbortSignal")
    }
    return Predicate.isNullish(timeoutMillis) || isDuration(timeoutMillis, Number.MIN_VALUE)
      ? Result.succeed(read.success)
      : refuse("timeoutMillis", millisAdvice)
  }

export const callOptions = checked<CallOptions>({ signal: true, timeoutMillis: true })

export const listOptions = checked<ListDataBundlesOptions & CallOptions>({
  signal: true,
  timeoutMillis: true,
  query: true
})

const checkedWait = checked<AwaitSmsStatusOptions>({
  signal: true,
  until: true,
  intervalMillis: true,
  timeoutMillis: true,
  continueOn: true
})

/** Without a valid interval, the client would read the status without a pause. */
export const waitOptions = (
  given: AwaitSmsStatusOptions | undefined
): Result.Result<AwaitSmsStatusOptions, InvalidInput> =>
  Result.flatMap(checkedWait(given), (options) => {
    const { continueOn, intervalMillis = 0, timeoutMillis = 0, until } = options
    if (!Predicate.isFunction(until)) return refuse("until", "Expected a function")
    if (!Predicate.isNullish(continueOn) && !Predicate.isFunction(continueOn)) {
      return refuse("continueOn", "Expected a function")
    }
    if (!isDuration(intervalMillis, 1)) {
      return refuse("intervalMillis", "give a finite number of milliseconds, at least 1")
    }
    if (!isDuration(timeoutMillis, Number.MIN_VALUE)) return refuse("timeoutMillis", millisAdvice)
    return Result.succeed({ ...options, until, intervalMillis, timeoutMillis })
  })

/** This client's option is `timeoutMillis`, where the Effect client has `timeout`. */
export const inMillis =
  (option: string) =>
  (error: ConfigurationError): ConfigurationError =>
    error.setting === option
      ? new ConfigurationError({
          setting: `${option}Millis`,
          problem: millisAdvice
        })
      : error
