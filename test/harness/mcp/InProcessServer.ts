/**
 * Runs the command inside the test's process, on streams of the test. It is the same code as in a
 * process of its own, but starts in milliseconds instead of most of a second.
 */
import { run, type Signal } from "@messaging-topup/command"
import { mcpServer } from "@messaging-topup/mcp-server/src/Command.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { PassThrough } from "node:stream"
import { setImmediate } from "node:timers/promises"
import type { Ended } from "../Process.ts"
import {
  type Environment,
  running,
  type RunningServer,
  type StartOptions
} from "./RunningServer.ts"

export const startInProcess = (
  args: ReadonlyArray<string>,
  { env = {} }: StartOptions = {}
): RunningServer => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  // As in `main`: a connection may break, and be logged, after the server has ended.
  stderr.on("error", () => {})
  const stop = Deferred.makeUnsafe<Signal>()
  const command = run(mcpServer, {
    args,
    // No state and no variables of the person who runs the tests.
    environment: { MESSAGING_TOPUP_JOURNAL: "memory", ...env },
    stdin,
    stdout,
    stderr,
    stop: Deferred.await(stop)
  })
  const exited = Effect.runPromise(command).then(async (code) => {
    stdout.end()
    stderr.end()
    // The last output is read in the next turns of the event loop.
    await setImmediate()
    await setImmediate()
    return { code, signal: null }
  })
  const askToStop = () => {
    Deferred.doneUnsafe(stop, Effect.succeed("SIGTERM"))
  }
  return running({ stdin, stdout, stderr }, exited, {
    stop: askToStop,
    // Not awaited: a send may hang on a service that is closed only after this.
    [Symbol.asyncDispose]: () => {
      askToStop()
      stdin.end()
      return Promise.resolve()
    }
  })
}

/** Runs the command and stops it at once, for settings with which it ends at the start. */
export const runInProcess = async (
  args: ReadonlyArray<string>,
  env: Environment = {}
): Promise<Ended> => {
  await using server = startInProcess(args, { env })
  server.stop()
  return await server.ended
}
