/** Asks the person at the terminal. */
import type { UsageError } from "@messaging-topup/command"
import * as Effect from "effect/Effect"
import { createInterface } from "node:readline"
import { refuse } from "./Failure.ts"
import { Invocation } from "./Invocation.ts"

/** Fails if there is no terminal. Call it before any work is done. */
export const requireTerminal = (what: string): Effect.Effect<void, UsageError, Invocation> =>
  Effect.flatMap(Invocation, ({ stderr, stdin }) =>
    stdin.isTTY === true && stderr.isTTY === true
      ? Effect.void
      : refuse(
          `There is no terminal for the question, and ${what}: give --yes to skip the question`
        )
  )

/** Returns whether the answer is `y` or `yes`, in any case. */
export const confirm = (question: string): Effect.Effect<boolean, never, Invocation> =>
  Effect.flatMap(Invocation, ({ stderr, stdin }) =>
    Effect.callback<boolean>((resume) => {
      // Without terminal mode, Ctrl-C remains a signal of the process.
      const lines = createInterface({ input: stdin, output: stderr, terminal: false })
      lines.once("close", () => resume(Effect.succeed(false)))
      lines.question(`${question} [y/N] `, (answer) => {
        resume(Effect.succeed(/^y(es)?$/i.test(answer.trim())))
        lines.close()
      })
      return Effect.sync(() => lines.close())
    })
  )
