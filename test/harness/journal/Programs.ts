/**
 * Starts test programs that use a journal, each in a separate process.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import { execPath } from "node:process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

/** The program ended before it printed the awaited line. */
class Ended extends Data.TaggedError("Ended")<{ readonly message: string }> {}

interface Program {
  readonly child: ChildProcess
  /** The next line that it prints. Fails when it ends without one. */
  readonly nextLine: Effect.Effect<string, Ended>
  readonly ended: Effect.Effect<{ readonly code: number | null; readonly stderr: string }>
}

/** Starts a program of the folder `programs`. It is killed when the scope closes. */
export const start = Effect.fnUntraced(function* (program: string, ...args: ReadonlyArray<string>) {
  const file = fileURLToPath(new URL(`programs/${program}`, import.meta.url))
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(execPath, [file, ...args], { stdio: ["pipe", "pipe", "pipe"] })),
    (started) => Effect.sync(() => started.kill("SIGKILL"))
  )
  let stderr = ""
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
  // The lines are queued here, because the iterator of a closed readline may never end.
  const lines = new Array<string>()
  const reader = createInterface({ input: child.stdout }).on("line", (line) => lines.push(line))
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve))
  const started: Program = {
    child,
    nextLine: Effect.callback<string, Ended>((resume) => {
      const take = () => {
        const line = lines.shift()
        if (line !== undefined) resume(Effect.succeed(line))
        return line !== undefined
      }
      if (take()) return
      reader.once("line", take)
      child.once("close", () => {
        if (!take()) resume(Effect.fail(new Ended({ message: `${program} ended: ${stderr}` })))
      })
    }),
    ended: Effect.promise(async () => ({ code: await exit, stderr }))
  }
  return started
})
