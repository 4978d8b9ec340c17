/**
 * The errors of the command, their exit codes and their texts.
 */
import type { ConfigurationError, InvalidInput } from "@messaging-topup/core"
import type { CampaignPruned, JournalError } from "@messaging-topup/journal"
import { flagOf, type Port, UsageError } from "@messaging-topup/sandbox/command-line"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { InputError } from "../input/InputError.ts"
import { exitCodes } from "./ExitCodes.ts"

/** The command cannot run, for a reason other than wrong usage. */
export class CannotRun extends Data.TaggedError("CannotRun")<{ readonly problem: string }> {
  override get message(): string {
    return this.problem
  }
}

export type Failure =
  | CampaignPruned
  | CannotRun
  | ConfigurationError
  | InputError
  | InvalidInput
  | JournalError
  | Port.ListenFailed
  | UsageError

export const codeOfFailure = (failure: Failure): number => {
  switch (failure._tag) {
    case "ConfigurationError":
    case "InvalidInput":
    case "UsageError":
      return exitCodes.usage
    case "InputError":
      return failure.isUsage ? exitCodes.usage : exitCodes.failed
    case "JournalUnavailable":
      return failure.problem === "driver-missing" ? exitCodes.usage : exitCodes.failed
    case "CampaignPruned":
    case "CannotRun":
    case "JournalLocked":
    case "ListenFailed":
      return exitCodes.failed
  }
}

/** The option that sets a field of the library. */
const flagOfField = (field: string): string =>
  field.startsWith("quietHours.") ? "--quiet-hours" : flagOf(field)

/** Returns the text of a failure. */
export const textOf = (failure: Failure): string =>
  failure._tag === "InvalidInput"
    ? `${flagOfField(failure.field)}: ${failure.problem}`
    : failure.message

export interface Problems {
  /** Runs a check. Returns nothing if it fails. */
  readonly check: <A, R>(
    check: Effect.Effect<A, Failure, R>
  ) => Effect.Effect<A | undefined, never, R>
  /** Fails with all problems that were found. */
  readonly end: Effect.Effect<void, Failure>
}

/** Collects the problems of several checks, so that a person sees all of them at once. */
export const makeProblems = (): Problems => {
  const failures = new Array<Failure>()
  return {
    check: (check) =>
      Effect.catch(check, (failure) => {
        failures.push(failure)
        return Effect.succeed(undefined)
      }),
    end: Effect.suspend(() => {
      const [first, ...others] = failures
      if (first === undefined) return Effect.void
      const problem = failures.map(textOf).join("\n")
      return Effect.fail(others.length === 0 ? first : new UsageError({ problem }))
    })
  }
}
