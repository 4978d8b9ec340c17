/** Runs the command with the arguments, environment, streams and signals of this process. */
import * as Effect from "effect/Effect"
import { setFlagsFromString } from "node:v8"
import * as Commands from "./Commands.ts"
import * as Signals from "./Signals.ts"

// While its heap is small, V8 sees rows survive, and from then on puts all rows among its old objects, which
// only a full collection frees: 90 MiB more for 150,000 rows. Node 22, 24 and 26 know the flag.
setFlagsFromString("--no-allocation-site-pretenuring")

// A reader such as `head` may close the pipe early. The command goes on.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})

const fiber = Effect.runFork(
  Commands.run({
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
