/**
 * Runs the command with the arguments, environment, streams and signals of this process.
 */
import * as Effect from "effect/Effect"
import { setFlagsFromString } from "node:v8"
import * as Command from "./Command.ts"
import * as Signals from "./Signals.ts"

// V8 would learn from the first rows, which a young heap has no place for, that rows live long. It would put
// all others where only a full collection finds them: 90 MiB more for a list of 150,000.
setFlagsFromString("--no-allocation-site-pretenuring")

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
