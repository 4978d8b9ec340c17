/**
 * Starts programs, each in a process of its own, and reads what they write.
 */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { Readable } from "node:stream"
import { fileURLToPath } from "node:url"

/** Most of the time in which a program of Node starts, it compiles what another test has started, too. */
const compiled = fileURLToPath(new URL("../../node_modules/.cache/compiled", import.meta.url))

/** Of Linux: elsewhere, what a killed test has started stays. */
const setpriv = "/usr/bin/setpriv"

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Ended extends Exit {
  readonly stdout: string
  readonly stderr: string
}

type Output = "stdout" | "stderr"

/** Reads the outputs of a program. `exited` resolves after the last output. */
export const watch = (
  outputs: Readonly<Partial<Record<Output, Readable | null>>>,
  exited: Promise<Exit>
) => {
  const written = { stdout: "", stderr: "" }
  const waiting = new Set<() => void>()
  for (const name of ["stdout", "stderr"] as const) {
    outputs[name]?.setEncoding("utf8").on("data", (text: string) => {
      written[name] += text
      for (const look of waiting) look()
    })
  }
  const ended = exited.then((exit): Ended => ({ ...exit, ...written }))

  const first = <A>(wanted: string, look: () => A | undefined): Promise<A> =>
    new Promise((resolve, reject) => {
      const again = () => {
        const found = look()
        if (found === undefined) return
        waiting.delete(again)
        resolve(found)
      }
      waiting.add(again)
      again()
      void ended.then(({ stderr }) => {
        if (waiting.delete(again)) reject(new Error(`It ended without ${wanted}: ${stderr}`))
      })
    })

  let read = 0
  return {
    /** What it has written so far. */
    written: written as Readonly<typeof written>,
    /** What the function finds, now or after an output. Rejects if it ends before. */
    first,
    /** The first match in what it has written or will write. Rejects if it ends without one. */
    until: (pattern: RegExp, output: Output = "stdout") =>
      first(String(pattern), () => pattern.exec(written[output]) ?? undefined),
    /** The next line on stdout. Rejects if it ends without one. */
    nextLine: () =>
      first("another line", () => {
        const end = written.stdout.indexOf("\n", read)
        if (end === -1) return undefined
        const line = written.stdout.slice(read, end)
        read = end + 1
        return line
      }),
    ended
  }
}

interface StartOptions {
  /** The working directory. Defaults to the workspace's root. */
  readonly cwd?: string
  /** Added to `PATH`, which is all that it gets of this environment, and where Node keeps compiled code. */
  readonly env?: Readonly<Record<string, string>>
  /** What it reads, or that the test writes to it. */
  readonly stdin?: AsyncIterable<string> | Iterable<string> | "open"
  /** Whether it can send messages to the test. */
  readonly hasChannel?: boolean
  /** An output that nobody reads. */
  readonly unread?: Output
}

/** The program with its arguments, which gets a signal when this process ends, also if it is killed. */
export const tied = (
  signal: "KILL" | "QUIT",
  program: string,
  args: ReadonlyArray<string>
): [program: string, args: ReadonlyArray<string>] =>
  existsSync(setpriv) ? [setpriv, ["--pdeathsig", signal, "--", program, ...args]] : [program, args]

/**
 * Starts a program. It has ended when no process holds its outputs, also none that it started: so a
 * test with a leftover process times out.
 */
export const start = (
  program: string,
  args: ReadonlyArray<string>,
  { cwd, env, hasChannel = false, stdin, unread }: StartOptions = {}
) => {
  const child = spawn(...tied("KILL", program, args), {
    cwd,
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compiled, ...env },
    stdio: [
      stdin === undefined ? "ignore" : "pipe",
      "pipe",
      "pipe",
      ...(hasChannel ? ["ipc" as const] : [])
    ]
  })
  if (child.stdin !== null && stdin !== undefined && stdin !== "open") {
    // It may end before it has read everything.
    child.stdin.on("error", () => {})
    Readable.from(stdin, { objectMode: false }).pipe(child.stdin)
  }
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once("error", reject)
    // An output that is not read is never closed.
    child.once(unread === undefined ? "close" : "exit", (code, signal) => resolve({ code, signal }))
  })
  const { stderr, stdout } = child
  return {
    ...watch({ stdout, stderr, ...(unread === undefined ? {} : { [unread]: null }) }, exited),
    child,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Closes this end of its stdout. */
    stopReading: () => void stdout?.destroy(),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL")
      await exited
    }
  }
}

export type Running = ReturnType<typeof start>

/** Starts a program of Node. */
export const startNode = (args: ReadonlyArray<string>, options?: StartOptions) =>
  start(process.execPath, args, options)

/** Starts a program of Node, and kills it when the scope closes. */
export const startScoped = (args: ReadonlyArray<string>, options?: StartOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => startNode(args, options)),
    (running) => Effect.promise(() => running[Symbol.asyncDispose]())
  )

/** Runs a program to its end. */
export const run = async (
  program: string,
  args: ReadonlyArray<string>,
  options?: StartOptions
): Promise<Ended> => {
  await using running = start(program, args, options)
  return await running.ended
}

/** Runs a program of Node to its end. */
export const runNode = (args: ReadonlyArray<string>, options?: StartOptions): Promise<Ended> =>
  run(process.execPath, args, options)
