/**
 * The handle of a started server, whether it runs in its own process or in the test's.
 */
import type { Readable, Writable } from "node:stream"
import { type Exit, watch } from "../Process.ts"

export type Environment = Readonly<Record<string, string>>

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

export interface Streams {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
}

interface Handle extends AsyncDisposable {
  /** Asks the server to stop, as SIGTERM does. */
  readonly stop: () => void
}

/** Collects what the server writes. `exited` must resolve after the last output. */
export const running = (
  { stderr, stdin, stdout }: Streams,
  exited: Promise<Exit>,
  handle: Handle
) => {
  const { ended, first, until, written } = watch({ stdout, stderr }, exited)
  // The server may end before everything was written to it.
  stdin.on("error", () => {})
  const entries = () => written.stderr.split("\n").slice(0, -1).flatMap(entryOf)
  const entry = (event: string) =>
    first(event, () => entries().find((each) => each.event === event))
  return {
    stdin,
    stdout,
    stderr,
    written,
    log: {
      /** The lines on stderr that are entries of the log. */
      entries,
      /** Returns the first entry of this event, written before or later. */
      entry,
      text: () => written.stderr
    },
    ended,
    /** Returns the first match in its output so far or later. Fails if the server ends without one. */
    until: (stream: "stdout" | "stderr", pattern: RegExp) => until(pattern, stream),
    /** Returns the URL of the server. Only with `--http`. */
    url: async () => String((await entry("listening"))["url"]),
    ...handle
  }
}

export type RunningServer = ReturnType<typeof running>
