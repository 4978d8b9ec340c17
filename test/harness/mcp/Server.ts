/**
 * Starts the server: in the test's process, on streams of the test, or bundled in a process of its own. Both run the
 * same code, but in the test's process it starts in milliseconds instead of most of a second.
 */
import { run, type Signal } from "@messaging-topup/command"
import { mcpServer } from "@messaging-topup/mcp-server/src/Command.ts"
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { PassThrough, type Readable, type Writable } from "node:stream"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { type Ended, startNode, watch } from "../Process.ts"
import { serverFile } from "../Bundled.ts"
import { disposableFolder } from "../TemporaryFolder.ts"

export type Environment = Readonly<Record<string, string | undefined>>

export interface StartOptions {
  /** The complete environment of the server. */
  readonly env?: Environment
}

/** One line of the server's log. */
type LogEntry = Readonly<Record<string, unknown>> & {
  readonly event: string
  readonly level: string
}

const entryOf = (line: string): ReadonlyArray<LogEntry> => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null && "event" in value && "level" in value
      ? [{ ...value, event: String(value.event), level: String(value.level) }]
      : []
  } catch {
    return []
  }
}

interface Started extends ReturnType<typeof watch>, AsyncDisposable {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Asks the server to stop, as SIGTERM does. */
  readonly stop: () => void
}

const running = (started: Started) => {
  const { first, stdin, until, written } = started
  // The server may end before everything was written to it.
  stdin.on("error", () => {})
  const entries = () => written.stderr.split("\n").slice(0, -1).flatMap(entryOf)
  const entry = (event: string) =>
    first(event, () => entries().find((each) => each.event === event))
  return {
    ...started,
    log: {
      /** The lines on stderr that are entries of the log. */
      entries,
      /** Returns the first entry of this event, written before or later. */
      entry,
      text: () => written.stderr
    },
    /** Returns the first match in its output so far or later. Fails if the server ends without one. */
    until: (stream: "stdout" | "stderr", pattern: RegExp) => until(pattern, stream),
    /** Returns the URL of the server. Only with `--http`. */
    url: async () => String((await entry("listening"))["url"])
  }
}

export type RunningServer = ReturnType<typeof running>

export const startInProcess = (
  args: ReadonlyArray<string>,
  { env = {} }: StartOptions = {}
): RunningServer => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  // As in `main`: a connection may break, and be logged, after the server has ended.
  stderr.on("error", () => {})
  const signal = Deferred.makeUnsafe<Signal>()
  // One in memory has no ids to decide by.
  const folder = disposableFolder()
  const command = run(mcpServer, {
    args,
    // No state and no variables of the person who runs the tests.
    environment: { MESSAGING_TOPUP_JOURNAL: join(folder.path, "sends.sqlite"), ...env },
    stdin,
    stdout,
    stderr,
    stop: Deferred.await(signal)
  })
  const exited = Effect.runPromise(command).then(async (code) => {
    folder[Symbol.dispose]()
    stdout.end()
    stderr.end()
    // The last output is read in the next turns of the event loop.
    await setImmediate()
    await setImmediate()
    return { code, signal: null }
  })
  const stop = () => void Deferred.doneUnsafe(signal, Effect.succeed("SIGTERM"))
  return running({
    ...watch({ stdout, stderr }, exited),
    stdin,
    stdout,
    stderr,
    stop,
    // Not awaited: a send may hang on a service that is closed only after this.
    [Symbol.asyncDispose]: () => {
      stop()
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
  const flags = memory ? ["--expose-gc", "--import", probe] : []
  const started = startNode([...flags, file, ...args], {
    env: cleanEnvironment(env),
    stdin: "open",
    hasChannel: memory
  })
  const { child } = started
  const { stderr, stdin, stdout } = child
  if (stdin === null || stdout === null || stderr === null) throw new Error("no pipes")
  return {
    ...running({ ...started, stdin, stdout, stderr, stop: () => started.kill("SIGTERM") }),
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

/** What a client takes: the SDK's transport of a server, with its streams the other way round. */
export class StreamTransport extends StdioServerTransport {
  /** The revision that client and server agreed on. */
  protocolVersion: string | undefined
  readonly #stdin: Writable

  constructor({ stdin, stdout }: RunningServer) {
    super(stdout.pipe(new PassThrough()), stdin)
    this.#stdin = stdin
  }

  setProtocolVersion(version: string): void {
    this.protocolVersion = version
  }

  override async close(): Promise<void> {
    await super.close()
    this.#stdin.end()
  }
}
