/** Runs a program as this process: its arguments, variables, streams and signals. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Invoked, Signal } from "./Invocation.ts"
import { exitCodes, type Program, run } from "./Program.ts"

/** Claude Code stops a server with SIGINT and, 100 ms later, SIGTERM: that is one request to stop. */
const oneStopMillis = 2_000

/** The first signal. A second one of the same kind, or a later one of another, ends the process at once. */
const signalsOf = (): Pick<Invoked, "hangUp" | "stop"> => {
  const stop = Deferred.makeUnsafe<Signal>()
  let stoppedAt = 0
  const onSignal = (signal: Signal): void => {
    if (Deferred.doneUnsafe(stop, Effect.succeed(signal))) stoppedAt = performance.now()
    else if (performance.now() - stoppedAt > oneStopMillis) process.kill(process.pid, signal)
  }
  process.once("SIGINT", () => onSignal("SIGINT"))
  process.once("SIGTERM", () => onSignal("SIGTERM"))
  return {
    stop: Deferred.await(stop),
    hangUp: Effect.callback<Signal>((resume) => {
      // Kernel and shell both send it when a terminal is closed, so a second one is no decision of a person.
      process.on("SIGHUP", () => resume(Effect.succeed("SIGHUP")))
    })
  }
}

/** Runs a program until it ends, and sets the exit code. */
export const runMain = <E>(program: Program<E>): void => {
  // A reader such as `head` may close the pipe early, and a client may be gone. The program goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  const fiber = Effect.runFork(
    run(program, {
      args: process.argv.slice(2),
      environment: process.env,
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      ...signalsOf()
    })
  )
  fiber.addObserver((exit) => {
    process.exitCode = exit._tag === "Success" ? exit.value : exitCodes.failed
  })
}
