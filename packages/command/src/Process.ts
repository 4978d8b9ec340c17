/** Runs a program as this process: its arguments, variables, streams and signals. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Signal } from "./Invocation.ts"
import { exitCodes, type Program, run } from "./Program.ts"

/** The first signal. A second one of the same kind, or of another after this time, ends the process at once. */
const firstSignal = (oneStopMillis: number): Effect.Effect<Signal> => {
  const stop = Deferred.makeUnsafe<Signal>()
  let stoppedAt = 0
  const isFirst = (signal: Signal): boolean => {
    const isDone = Deferred.doneUnsafe(stop, Effect.succeed(signal))
    if (isDone) stoppedAt = performance.now()
    return isDone
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      const isLater = !isFirst(signal) && performance.now() - stoppedAt >= oneStopMillis
      if (isLater) process.kill(process.pid, signal)
    })
  }
  // Kernel and shell both send it when a terminal is closed, so a second one is no decision of a person.
  process.on("SIGHUP", () => isFirst("SIGHUP"))
  return Deferred.await(stop)
}

/** Runs a program until it ends, and sets the exit code. Two signals within `oneStopMillis` are one. */
export const runMain = <E>(program: Program<E>, oneStopMillis = 0): void => {
  // A reader such as `head` may close the pipe early, and a client may be gone. The program goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  const fiber = Effect.runFork(
    run(program, {
      args: process.argv.slice(2),
      environment: process.env,
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      stop: firstSignal(oneStopMillis)
    })
  )
  fiber.addObserver((exit) => {
    process.exitCode = exit._tag === "Success" ? exit.value : exitCodes.failed
  })
}
