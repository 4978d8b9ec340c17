/**
 * SIGINT, SIGTERM and SIGHUP (a terminal was closed) stop the command cleanly: requests in flight end,
 * and their outcomes are written to the journal.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { signalCodes } from "./Failure.ts"
import { Invocation, type Signal } from "./Invocation.ts"
import { note } from "./Output.ts"

/** The address of a sandbox's inbox, and the exit code of a command that only keeps it open. */
export const Trial = Context.Reference<{ inbox?: string; code?: number }>(
  "messaging-topup/cli/Signals/Trial",
  { defaultValue: () => ({}) }
)

/**
 * Keeps the inbox open for a person, until Ctrl-C. A script must end. Then the command ends with this code.
 */
export const stayOpen = Effect.fnUntraced(function* (code: number) {
  const trial = yield* Trial
  const { stderr, stdin } = yield* Invocation
  if (trial.inbox === undefined || stdin.isTTY !== true || stderr.isTTY !== true) return code
  trial.code = code
  yield* note(`The inbox stays open until Ctrl-C: ${trial.inbox}`)
  return yield* Effect.never
})

/** Runs the command. At a signal, interrupts it and waits until it has ended. */
export const untilStopped = Effect.fnUntraced(function* <R>(
  command: Effect.Effect<number, never, R>,
  stop: Effect.Effect<Signal>
) {
  const trial: { code?: number } = {}
  const running = yield* Effect.forkChild(Effect.provideService(command, Trial, trial))
  const first = yield* Effect.raceFirst(Fiber.await(running), stop)
  if (typeof first !== "string") return yield* first
  yield* note(
    trial.code === undefined
      ? "Stopping: waiting for the requests in flight, and for the journal to store their outcomes. A second signal ends the process at once"
      : "The inbox is closed"
  )
  yield* Fiber.interrupt(running)
  return first === "SIGINT" && trial.code !== undefined ? trial.code : signalCodes[first]
})

/** The first signal of this process. A second SIGINT or SIGTERM kills the process at once. */
export const ofProcess = (): Effect.Effect<Signal> => {
  const stop = Deferred.makeUnsafe<Signal>()
  const onSignal = (signal: Signal) => {
    if (!Deferred.doneUnsafe(stop, Effect.succeed(signal))) process.kill(process.pid, signal)
  }
  process.once("SIGINT", () => onSignal("SIGINT"))
  process.once("SIGTERM", () => onSignal("SIGTERM"))
  // Kernel and shell both send it when a terminal is closed, so a second one is no decision of a person.
  process.on("SIGHUP", () => Deferred.doneUnsafe(stop, Effect.succeed("SIGHUP")))
  return Deferred.await(stop)
}
