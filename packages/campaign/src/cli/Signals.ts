/**
 * SIGINT and SIGTERM end the command in order: what is under way ends, and is written down.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { signalCodes } from "./ExitCodes.ts"
import type { Signal } from "./Invocation.ts"

/** Interrupts the command at a signal, and waits for its end. */
export const untilStopped = Effect.fnUntraced(function* <R>(
  command: Effect.Effect<number, never, R>,
  stop: Effect.Effect<Signal>
) {
  const running = yield* Effect.forkChild(command)
  const first = yield* Effect.raceFirst(Fiber.await(running), stop)
  if (typeof first !== "string") return yield* first
  yield* Fiber.interrupt(running)
  return signalCodes[first]
})

/** The signals of this process. The second one finds no handler, and ends the process at once. */
export const ofProcess = (): Effect.Effect<Signal> => {
  const stop = Deferred.makeUnsafe<Signal>()
  const onSignal = (signal: Signal) => {
    if (!Deferred.doneUnsafe(stop, Effect.succeed(signal))) process.kill(process.pid, signal)
  }
  process.once("SIGINT", () => onSignal("SIGINT"))
  process.once("SIGTERM", () => onSignal("SIGTERM"))
  return Deferred.await(stop)
}
