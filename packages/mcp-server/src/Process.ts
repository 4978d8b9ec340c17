/**
 * The command as a process: arguments, environment, signals, exit code.
 */
import { Console } from "node:console"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Program from "./Program.ts"

// stdout carries the protocol and nothing else, whatever a dependency prints.
globalThis.console = new Console(process.stderr)

// Whoever closes the log is no reason to stop, nor is a client that went away.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})

const stop = Deferred.makeUnsafe<void>()

const onSignal = (signal: NodeJS.Signals): void => {
  if (!Deferred.doneUnsafe(stop, Effect.void)) process.kill(process.pid, signal)
}
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  // The second one finds no handler, and ends the process at once.
  process.once(signal, onSignal)
}

const fiber = Effect.runFork(
  Program.run({
    args: process.argv.slice(2),
    environment: process.env,
    stop: Deferred.await(stop)
  })
)

fiber.addObserver((exit) => {
  process.exitCode = exit._tag === "Success" ? exit.value : 1
})
