/** Reads what a program gives beside its rows and requests, with the check of the clients' options. */
import { InvalidInput } from "@messaging-topup/core"
import {
  type Checked,
  checkOptions,
  type Option,
  type Table,
  type Values
} from "@messaging-topup/core/internal"
import * as Result from "effect/Result"

export type { Checked, Option }

/** An option that something else checks. */
export const unchecked: Option<unknown> = { check: Result.succeed, default: undefined }

/** Allows only what passes a test. */
export const passing =
  <A>(isPassing: (value: unknown) => value is A, problem: string) =>
  (value: unknown): Checked<A> =>
    isPassing(value) ? Result.succeed(value) : Result.fail(problem)

/** Returns the values of a bag that an error calls `bag`, with their defaults. */
export const readOptions = <T extends Table>(
  operation: string,
  table: T,
  given: unknown,
  bag?: string
): Result.Result<Values<T>, InvalidInput> =>
  Result.mapError(
    checkOptions(table, given, bag),
    ({ problem, setting }) => new InvalidInput({ operation, field: setting, problem })
  )
