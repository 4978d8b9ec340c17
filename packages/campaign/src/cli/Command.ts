/**
 * Runs the command: parses the arguments, runs the subcommand, and returns the exit code.
 */
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { type EndedWith, exitCodes } from "./ExitCodes.ts"
import { codeOfFailure, type Failure, textOf } from "./Failure.ts"
import { Invocation } from "./Invocation.ts"
import { note } from "./Output.ts"
import * as Platform from "./Platform.ts"
import * as Signals from "./Signals.ts"
import { tree } from "./Tree.ts"

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

const version = Effect.suspend(() =>
  Schema.decodeEffect(Manifest)(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8")
  )
).pipe(
  Effect.map((manifest) => manifest.version),
  Effect.orDie
)

const explain = (
  failure: CliError.CliError | EndedWith | Failure
): Effect.Effect<number, never, Invocation> => {
  if (failure._tag === "EndedWith") return Effect.succeed(failure.code)
  if (CliError.isCliError(failure)) {
    // The parser has already printed the error or the help.
    const isHelp = failure._tag === "ShowHelp" && failure.errors.length === 0
    return Effect.succeed(isHelp ? exitCodes.done : exitCodes.usage)
  }
  return Effect.as(note(textOf(failure)), codeOfFailure(failure))
}

/** Prints only the name of a defect: its text can contain an SMS text. */
const explainDefect = (defect: unknown) =>
  Effect.as(
    note(`The command failed (${defect instanceof Error ? defect.name : "unknown"})`),
    exitCodes.failed
  )

/** Returns the exit code. */
export const run = (invocation: Invocation["Service"]): Effect.Effect<number> =>
  Effect.gen(function* () {
    const runTree = Command.runWith(tree, { version: yield* version })
    return yield* runTree(invocation.args)
  }).pipe(
    Effect.as<number>(exitCodes.done),
    Effect.catch(explain),
    Effect.catchDefect(explainDefect),
    (command) => Signals.untilStopped(command, invocation.stop),
    // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
    Effect.provide(Platform.layer),
    Effect.provideService(Invocation, invocation)
  )
