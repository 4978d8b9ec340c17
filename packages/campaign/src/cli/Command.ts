/** Runs the command, and returns the exit code. */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Commands from "./Commands.ts"
import { exitCodes } from "./ExitCodes.ts"
import { codeOfFailure, textOf } from "./Failure.ts"
import { Invocation } from "./Invocation.ts"
import { loggerOf, note } from "./Output.ts"
import * as Signals from "./Signals.ts"

/** Prints only the name of a defect: its text can contain an SMS text. */
const explainDefect = (defect: unknown) =>
  Effect.as(
    note(`The command failed (${defect instanceof Error ? defect.name : "unknown"})`),
    exitCodes.failed
  )

/** Returns the exit code. */
export const run = (invocation: Invocation["Service"]): Effect.Effect<number> =>
  Commands.run(invocation.args).pipe(
    Effect.catch((failure) => Effect.as(note(textOf(failure)), codeOfFailure(failure))),
    Effect.catchDefect(explainDefect),
    (command) => Signals.untilStopped(command, invocation.stop),
    Effect.provideService(Invocation, invocation),
    Effect.provideService(Logger.CurrentLoggers, new Set([loggerOf(invocation.stderr)]))
  )
