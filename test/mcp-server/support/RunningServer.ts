/**
 * The handle of a started server, whether it runs in its own process or in the test's.
 */
import type { Readable, Writable } from "node:stream"
import { logOf, type ServerLog } from "./ServerLog.ts"

export type Environment = Readonly<Record<string, string>>

export interface StartOptions {
  /** The complete environment of the server. */
  readonly env?: Environment
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Streams {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
}

export interface RunningServer extends Streams, AsyncDisposable {
  readonly written: { readonly stdout: string; readonly stderr: string }
  readonly log: ServerLog
  /** Returns the first match in its output so far or later. Fails if the server ends without one. */
  readonly until: (stream: "stdout" | "stderr", pattern: RegExp) => Promise<RegExpExecArray>
  /** Returns the URL of the server. Only with `--http`. */
  readonly url: () => Promise<string>
  /** Asks the server to stop, as SIGTERM does. */
  readonly stop: () => void
  readonly ended: Promise<Ended>
}

interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Collects what the server writes. `exited` must resolve after the last output. */
export const running = (
  { stderr, stdin, stdout }: Streams,
  exited: Promise<Exit>,
  handle: Pick<RunningServer, "stop" | typeof Symbol.asyncDispose>
): RunningServer => {
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
  // The server may end before everything was written to it.
  stdin.on("error", () => {})
  const log = logOf(stderr)
  const ended = exited.then((exit): Ended => ({ ...exit, ...written }))
  return {
    stdin,
    stdout,
    stderr,
    written,
    log,
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
    url: async () => String((await log.entry("listening"))["url"]),
    ...handle
  }
}
