/**
 * The real server as a child process, for the length of one test.
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Readable } from "node:stream"
import { serverFile } from "../../support/ServerFile.ts"

/** One line of the server's log. */
interface LogLine {
  readonly event: string
  readonly level: string
  readonly [field: string]: unknown
}

/** The complete lines of a stream: those that came, and a wait for those to come. */
interface Lines {
  readonly all: ReadonlyArray<string>
  /** The first line that matches, also where it came before. Rejects when the stream ends. */
  readonly first: (matches: (line: string) => boolean) => Promise<string>
}

const linesOf = (stream: Readable): Lines => {
  const all: Array<string> = []
  const watchers = new Set<() => void>()
  let rest = ""
  let ended = false
  const wake = () => {
    for (const look of watchers) look()
  }
  stream.setEncoding("utf8")
  stream.on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n")
    rest = parts.pop() ?? ""
    all.push(...parts)
    wake()
  })
  stream.on("close", () => {
    ended = true
    if (rest !== "") all.push(rest)
    wake()
  })
  const first = (matches: (line: string) => boolean) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = all.find(matches)
        if (found === undefined && !ended) return
        watchers.delete(look)
        if (found === undefined)
          reject(new Error(`No such line before the end:\n${all.join("\n")}`))
        else resolve(found)
      }
      watchers.add(look)
      look()
    })
  return { all, first }
}

/** What the server writes on stderr, as it is and as its log. */
export interface ServerLog {
  readonly lines: ReadonlyArray<string>
  /** The lines that are entries of the log. */
  readonly entries: () => ReadonlyArray<LogLine>
  /** The first entry of this event that matches, now or later. */
  readonly entry: (event: string, matches?: (entry: LogLine) => boolean) => Promise<LogLine>
  /** The first line that matches, now or later. */
  readonly line: Lines["first"]
}

const parsed = (line: string): LogLine | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null && "event" in value && "level" in value
      ? { ...value, event: String(value.event), level: String(value.level) }
      : undefined
  } catch {
    return undefined
  }
}

export const logOf = (stderr: Readable): ServerLog => {
  const lines = linesOf(stderr)
  const is = (event: string, matches: (entry: LogLine) => boolean) => (line: string) => {
    const entry = parsed(line)
    return entry !== undefined && entry.event === event && matches(entry)
  }
  return {
    lines: lines.all,
    entries: () => lines.all.map(parsed).filter((entry) => entry !== undefined),
    entry: async (event, matches = () => true) => {
      const entry = parsed(await lines.first(is(event, matches)))
      if (entry === undefined) throw new Error("The line was an entry when it was found")
      return entry
    },
    line: lines.first
  }
}

export type Environment = Readonly<Record<string, string>>

/** Nothing of the machine that runs the tests, but for what Node needs to be found. */
export const cleanEnvironment = (environment: Environment = {}): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  ...environment
})

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ServerProcess extends AsyncDisposable {
  readonly child: ChildProcess
  readonly pid: number
  readonly stdout: Lines
  readonly log: ServerLog
  readonly ended: Promise<Ended>
  /** Writes to stdin as it is. */
  readonly write: (text: string) => void
  /** Where it listens; with `--http` only. */
  readonly url: () => Promise<string>
}

export interface ServerSettings {
  readonly args?: ReadonlyArray<string>
  readonly environment?: Environment
}

export const startServer = ({ args = [], environment }: ServerSettings = {}): ServerProcess => {
  const child = spawn(process.execPath, [serverFile, ...args], {
    env: cleanEnvironment(environment),
    stdio: ["pipe", "pipe", "pipe"]
  })
  const { pid } = child
  if (pid === undefined) throw new Error("The server could not be started")
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }))
  })
  // A server that ended does not read what is still written to it.
  child.stdin.on("error", () => {})
  const log = logOf(child.stderr)
  return {
    child,
    pid,
    stdout: linesOf(child.stdout),
    log,
    ended,
    write: (text) => {
      child.stdin.write(text)
    },
    url: async () => String((await log.entry("listening"))["url"]),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL")
      await ended
    }
  }
}

/** On a free port of loopback. */
export const startHttpServer = ({ args = [], ...settings }: ServerSettings = {}): ServerProcess =>
  startServer({ args: ["--http", "--port", "0", ...args], ...settings })
