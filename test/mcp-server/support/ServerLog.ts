/**
 * Reads what a server writes to stderr, as lines and as entries of its log.
 */
import type { Readable } from "node:stream"

/** One line of the server's log. */
interface LogEntry {
  readonly event: string
  readonly level: string
  readonly [field: string]: unknown
}

/** The complete lines of a stream, and a way to wait for one. */
interface Lines {
  readonly all: ReadonlyArray<string>
  /** Returns the first line that matches, written before or later. Rejects when the stream ends. */
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
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    all.push(...lines)
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

export interface ServerLog {
  readonly lines: ReadonlyArray<string>
  /** The lines that are entries of the log. */
  readonly entries: () => ReadonlyArray<LogEntry>
  /** Returns the first entry of this event that matches, written before or later. */
  readonly entry: (event: string, matches?: (entry: LogEntry) => boolean) => Promise<LogEntry>
  /** Returns the first line that matches, written before or later. */
  readonly line: Lines["first"]
}

const parsed = (line: string): LogEntry | undefined => {
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
  const is = (event: string, matches: (entry: LogEntry) => boolean) => (line: string) => {
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
