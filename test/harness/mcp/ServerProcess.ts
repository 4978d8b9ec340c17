/**
 * Starts the bundled server in a process of its own, for tests that are about the process.
 */
import { spawn } from "node:child_process"
import { buildServer, serverFile } from "../ServerFile.ts"
import type { Ended } from "../Process.ts"
import { type Environment, running, type StartOptions } from "./RunningServer.ts"

const probe = new URL("MemoryProbe.ts", import.meta.url).href

/** An environment without the variables of this machine, except `PATH`. */
export const cleanEnvironment = (env: Environment = {}): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  MESSAGING_TOPUP_JOURNAL: "memory",
  ...env
})

export interface ProcessOptions extends StartOptions {
  /** The entry file of the server. Defaults to the bundle that the tests build. */
  readonly file?: string
  readonly memory?: boolean
}

export const startProcess = (
  args: ReadonlyArray<string>,
  { env = {}, file = serverFile, memory = false }: ProcessOptions = {}
) => {
  if (file === serverFile) buildServer()
  const flags = memory ? ["--expose-gc", "--import", probe] : []
  const child = spawn(process.execPath, [...flags, file, ...args], {
    env: cleanEnvironment(env),
    stdio: ["pipe", "pipe", "pipe", memory ? "ipc" : "ignore"]
  })
  const { stderr, stdin, stdout } = child
  if (stdin === null || stdout === null || stderr === null) throw new Error("no pipes")
  const exited = new Promise<Pick<Ended, "code" | "signal">>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }))
  })
  const server = running({ stdin, stdout, stderr }, exited, {
    stop: () => child.kill("SIGTERM"),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
      await exited
    }
  })
  return {
    ...server,
    process: child,
    /** Returns the memory usage after a garbage collection. Only with the option `memory`. */
    memory: () =>
      new Promise<NodeJS.MemoryUsage>((resolve) => {
        child.once("message", (usage) => resolve(usage as NodeJS.MemoryUsage))
        child.send("memory")
      })
  }
}

export type ServerProcess = ReturnType<typeof startProcess>

/** Runs the server without input until it ends. A server on stdio ends when its input ends. */
export const runProcess = async (
  args: ReadonlyArray<string>,
  env: Environment = {}
): Promise<Ended> => {
  await using child = startProcess(args, { env })
  child.stdin.end()
  return await child.ended
}
