/**
 * The server as a child process, with everything that it wrote.
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import { serverFile } from "../../support/ServerFile.ts"

const probe = new URL("MemoryProbe.ts", import.meta.url).href

export type Variables = Readonly<Record<string, string>>

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface ServerChild extends AsyncDisposable {
  readonly process: ChildProcess
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly written: { readonly stdout: string; readonly stderr: string }
  /** The next match in what it wrote, now or later; fails where it ends without one. */
  readonly until: (stream: "stdout" | "stderr", pattern: RegExp) => Promise<RegExpExecArray>
  readonly ended: Promise<Ended>
  /** After the garbage is collected. Only with `memory`. */
  readonly memory: () => Promise<NodeJS.MemoryUsage>
}

export interface ServerChildOptions {
  /** All of its environment. */
  readonly env?: Variables
  readonly memory?: boolean
}

export const startServer = (
  args: ReadonlyArray<string>,
  { env = {}, memory = false }: ServerChildOptions = {}
): ServerChild => {
  const flags = memory ? ["--expose-gc", "--import", probe] : []
  const child = spawn(process.execPath, [...flags, serverFile, ...args], {
    env,
    stdio: ["pipe", "pipe", "pipe", memory ? "ipc" : "ignore"]
  })
  const { stderr, stdin, stdout } = child
  if (stdin === null || stdout === null || stderr === null) throw new Error("no pipes")
  const written = { stdout: "", stderr: "" }
  const lookers = new Set<() => void>()
  const collect = (name: "stdout" | "stderr", stream: Readable) => {
    stream.setEncoding("utf8")
    stream.on("data", (text: string) => {
      written[name] += text
      for (const look of lookers) look()
    })
  }
  collect("stdout", stdout)
  collect("stderr", stderr)
  // It may be gone before everything was written to it.
  stdin.on("error", () => {})
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal, ...written }))
  })
  return {
    process: child,
    stdin,
    stdout,
    stderr,
    written,
    ended,
    until: (stream, pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(written[stream])
          if (match === null) return
          lookers.delete(look)
          resolve(match)
        }
        lookers.add(look)
        look()
        void ended.then(() => {
          if (lookers.delete(look)) reject(new Error(`ended without ${String(pattern)}`))
        })
      }),
    memory: () =>
      new Promise((resolve) => {
        child.once("message", (usage) => resolve(usage as NodeJS.MemoryUsage))
        child.send("memory")
      }),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
      await ended
    }
  }
}

/** Without input: what serves on stdio ends by itself. */
export const runServer = async (
  args: ReadonlyArray<string>,
  env: Variables = {}
): Promise<Ended> => {
  await using child = startServer(args, { env })
  child.stdin.end()
  return await child.ended
}
