/** The errors of the command, their exit codes and their texts. */
import type { ConfigurationError, InvalidInput } from "@messaging-topup/core"
import type { CampaignPruned, JournalError } from "@messaging-topup/journal"
import { flagOf, UsageError } from "@messaging-topup/command"
import type { ListenFailed } from "@messaging-topup/sandbox"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { InputError } from "../input/InputError.ts"
import type { Invocation } from "./Invocation.ts"

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notAllSent: 3,
  stopped: 4
} as const

export const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

export const exitCodesHelp = `Exit codes: 0 done, no failures; 1 could not run, or declined; 2 wrong usage; 3 rows were invalid, changed or rejected, or their outcome is unknown; 4 stopped early, and says why; 129, 130 and 143 stopped by SIGHUP, SIGINT and SIGTERM.`

/** The command cannot run, for a reason other than wrong usage. */
class CannotRun extends Data.TaggedError("CannotRun")<{ readonly problem: string }> {
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
  | ListenFailed
  | UsageError

const isUsage = (failure: Failure): boolean => {
  switch (failure._tag) {
    case "ConfigurationError":
    case "InvalidInput":
    case "UsageError":
      return true
    case "InputError":
      return failure.isUsage
    case "JournalUnavailable":
      return failure.problem === "driver-missing"
    case "CampaignPruned":
    case "CannotRun":
    case "JournalLocked":
    case "ListenFailed":
      return false
  }
}

export const codeOfFailure = (failure: Failure): number =>
  isUsage(failure) ? exitCodes.usage : exitCodes.failed

/** The option that sets a field of the library. */
const flagOfField = (field: string): string =>
  field.startsWith("quietHours.") ? "--quiet-hours" : flagOf(field)

/** Returns the text of a failure. */
export const textOf = (failure: Failure): string =>
  failure._tag === "InvalidInput"
    ? `${flagOfField(failure.field)}: ${failure.problem}`
    : failure.message

export const cannotRun = (problem: string): Effect.Effect<never, Failure> =>
  Effect.fail(new CannotRun({ problem }))

/** Fails because the options are wrong. */
export const refuse = (problem: string) => Effect.fail(new UsageError({ problem }))

/** Runs several checks, and fails with all their problems, so that a person sees all of them at once. */
export const allOf = Effect.fnUntraced(function* <A>(checks: {
  readonly [K in keyof A]: Effect.Effect<A[K], Failure, Invocation>
}): Effect.fn.Return<A, Failure, Invocation> {
  const values: Partial<A> = {}
  const failures = new Array<Failure>()
  for (const name in checks) {
    const result = yield* Effect.result(checks[name])
    if (Result.isSuccess(result)) values[name] = result.success
    else failures.push(result.failure)
  }
  const [first] = failures
  const isComplete = (some: Partial<A>): some is A => first === undefined && some === values
  if (isComplete(values)) return values
  // Checks that need the same value fail with the same text without it.
  const problems = new Set(failures.map(textOf))
  return first !== undefined && problems.size === 1
    ? yield* Effect.fail(first)
    : yield* refuse([...problems].join("\n"))
})
