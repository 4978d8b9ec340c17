/**
 * Runs the command with the arguments, environment, streams and signals of this process.
 */
import * as Effect from "effect/Effect"
import * as Command from "./Command.ts"
import * as Signals from "./Signals.ts"

// A reader such as `head` may close the pipe early. The command goes on.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})

const fiber = Effect.runFork(
  Command.run({
    args: process.argv.slice(2),
    environment: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    stop: Signals.ofProcess()
  })
)

fiber.addObserver((exit) => {
  process.exitCode = exit._tag === "Success" ? exit.value : 1
})
