/**
 * A question to the person at the terminal.
 */
import * as Effect from "effect/Effect"
import { createInterface } from "node:readline"
import { UsageError } from "./Failure.ts"
import { Invocation } from "./Invocation.ts"

/** Fails where nobody can be asked, so that nothing is read or done in vain. */
export const canAsk = (what: string): Effect.Effect<void, UsageError, Invocation> =>
  Effect.flatMap(Invocation, ({ stderr, stdin }) =>
    stdin.isTTY === true && stderr.isTTY === true
      ? Effect.void
      : Effect.fail(
          new UsageError({
            problem: `There is no terminal to ask on, and ${what}: give --yes to do it without being asked`
          })
        )
  )

/** Everything but `y` and `yes` is a no. */
export const confirm = (question: string): Effect.Effect<boolean, never, Invocation> =>
  Effect.flatMap(Invocation, ({ stderr, stdin }) =>
    Effect.callback<boolean>((resume) => {
      // Not as a terminal of its own: Ctrl-C stays a signal.
      const lines = createInterface({ input: stdin, output: stderr, terminal: false })
      lines.once("close", () => resume(Effect.succeed(false)))
      lines.question(`${question} [y/N] `, (reply) => {
        resume(Effect.succeed(/^y(es)?$/i.test(reply.trim())))
        lines.close()
      })
      return Effect.sync(() => lines.close())
    })
  )
