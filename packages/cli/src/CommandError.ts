/** The errors of the command, their exit codes and their texts. */
import { type Exit, flagOf, Invocation, refuse, type UsageError } from "@messaging-topup/command"
import type { ConfigurationError, InvalidInput } from "@messaging-topup/core"
import type { CampaignPruned, JournalError } from "@messaging-topup/journal"
import type { ListenFailed } from "@messaging-topup/sandbox"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/**
 * The file of rows, or the rest of it, cannot be read. The error names the file and the line. Of the
 * file's text, it contains only names of columns.
 */
export class InputError extends Data.TaggedError("InputError")<{
  readonly file: string
  readonly line?: number
  readonly problems: ReadonlyArray<string>
  /** Whether another option, header or encoding solves the problem. */
  readonly isUsage: boolean
}> {
  override get message(): string {
    const line = this.line === undefined ? "" : `, line ${this.line}`
    return this.problems.map((problem) => `${this.file}${line}: ${problem}`).join("\n")
  }
}

/** The command cannot run, for a reason other than wrong usage. */
class CannotRun extends Data.TaggedError("CannotRun")<{ readonly problem: string }> {
  override get message(): string {
    return this.problem
  }
}

export type CommandError =
  | CampaignPruned
  | CannotRun
  | ConfigurationError
  | InputError
  | InvalidInput
  | JournalError
  | ListenFailed
  | UsageError

const exitOf = (failure: CommandError): Exit => {
  switch (failure._tag) {
    case "ConfigurationError":
    case "InvalidInput":
    case "UsageError":
      return "usage"
    case "InputError":
      return failure.isUsage ? "usage" : "failed"
    case "JournalUnavailable":
      return failure.problem === "driver-missing" ? "usage" : "failed"
    case "CampaignPruned":
    case "CannotRun":
    case "JournalLocked":
    case "ListenFailed":
      return "failed"
  }
}

/** A field of the library is the option of its name; so is a part of it, such as `quietHours.from`. */
const flagOfField = (field: string): string => flagOf(field.replace(/\..*/, ""))

const textOf = (failure: CommandError): string =>
  failure._tag === "InvalidInput"
    ? `${flagOfField(failure.field)}: ${failure.problem}`
    : failure.message

export const explain = (failure: CommandError) => ({ exit: exitOf(failure), text: textOf(failure) })

export const cannotRun = (problem: string): Effect.Effect<never, CommandError> =>
  Effect.fail(new CannotRun({ problem }))

/** Runs several checks, and fails with all their problems, so that a person sees all of them at once. */
export const allOf = Effect.fnUntraced(function* <A>(checks: {
  readonly [K in keyof A]: Effect.Effect<A[K], CommandError, Invocation>
}): Effect.fn.Return<A, CommandError, Invocation> {
  const values: Partial<A> = {}
  const failures: Array<CommandError> = []
  for (const name in checks) {
    const result = yield* Effect.result(checks[name])
    if (Result.isSuccess(result)) values[name] = result.success
    else failures.push(result.failure)
  }
  // Checks that need the same value fail with the same text without it.
  const [problem, ...others] = new Set(failures.map(textOf))
  if (others.length > 0) return yield* refuse([problem, ...others].join("\n"))
  const [failure] = failures
  if (failure !== undefined) return yield* Effect.fail(failure)
  const isComplete = (some: Partial<A>): some is A => some === values
  return isComplete(values) ? values : yield* Effect.die("a check was not made")
})

/** Fails if nobody can answer a question. Call it before any work is done. */
export const requireTerminal = (what: string): Effect.Effect<void, UsageError, Invocation> =>
  Effect.flatMap(Invocation, ({ terminal }) =>
    terminal.canAsk
      ? Effect.void
      : refuse(
          `There is no terminal for the question, and ${what}: give --yes to skip the question`
        )
  )
