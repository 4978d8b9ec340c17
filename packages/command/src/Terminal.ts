/** What a program shows: stdout for programs and tables, stderr for people, with one line that may be live. */
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Readable, Writable } from "node:stream"
import type { Environment } from "./Parse.ts"

/** A stream that may be a terminal. */
export interface Writer extends Writable {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** A stream of input that may be a terminal. */
export interface Reader extends Readable {
  readonly isTTY?: boolean
}

/** The streams of a program, and the variables that say how it may write to them. */
export interface Streams {
  readonly environment: Environment
  readonly stdin: Reader
  readonly stdout: Writer
  readonly stderr: Writer
}

/** Waits for a slow reader, but not for one that has closed the stream. */
const write = (stream: Writer, text: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (stream.destroyed || stream.write(text)) return resume(Effect.void)
    const go = () => {
      for (const event of events) stream.off(event, go)
      resume(Effect.void)
    }
    const events = ["drain", "close", "error"]
    for (const event of events) stream.on(event, go)
  })

/** Moves the cursor to the beginning of the line and clears the line. */
const clear = "\r\u001b[K"

/** Some pseudo terminals report a width of 0. */
const widthOf = ({ columns = 0 }: Writer): number => (columns > 0 ? columns : 80)

interface Frame {
  readonly now: number
  readonly width: number
}

/** How a program shows something on these streams. */
export const makeTerminal = ({ environment, stderr, stdin, stdout }: Streams) => {
  let isDrawn = false
  const lineOver = (text: string): string => `${isDrawn ? clear : ""}${text}\n`
  return {
    /** Prints on stdout. */
    print: (text: string) => write(stdout, `${text}\n`),
    /** Prints a line for a person, on stderr. It replaces the live line. */
    note: (text: string) => Effect.suspend(() => write(stderr, lineOver(text))),
    /** The same at once, for a logger. */
    log: (text: string) => void stderr.write(lineOver(text)),
    /**
     * Draws one line on stderr ten times per second until the scope closes, and then clears it. Does nothing if
     * stderr is no terminal that supports it.
     */
    draw: Effect.fnUntraced(function* (
      lineOf: (frame: Frame) => string,
      after: Duration.Input = 0
    ) {
      if (stderr.isTTY !== true || environment["TERM"] === "dumb") return
      const draw = Effect.map(Clock.currentTimeMillis, (now) => {
        isDrawn = true
        stderr.write(`${clear}${lineOf({ now, width: widthOf(stderr) })}`)
      })
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          if (isDrawn) stderr.write(clear)
          isDrawn = false
        })
      )
      const drawing = Effect.forever(Effect.andThen(draw, Effect.sleep("100 millis")))
      yield* Effect.forkScoped(after === 0 ? drawing : Effect.delay(drawing, after))
    }),
    /** Whether a person reads stdout. */
    isRead: stdout.isTTY === true,
    /** Whether a person can answer a question. */
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    /** Returns whether the answer is `y` or `yes`, in any case. What was typed before the question is no answer. */
    confirm: Effect.fnUntraced(function* (question: string) {
      // Imported here, so that a server does not load it.
      const { createInterface } = yield* Effect.promise(() => import("node:readline"))
      // Without terminal mode, Ctrl+C remains a signal of the process.
      const lines = yield* Effect.acquireRelease(
        Effect.sync(() => createInterface({ input: stdin, output: stderr, terminal: false })),
        (opened) => Effect.sync(() => opened.close())
      )
      const closed = Effect.callback<boolean>((resume) => {
        lines.once("close", () => resume(Effect.succeed(false)))
      })
      const asked = Effect.callback<boolean>((resume) => {
        lines.question(`${question} [y/N] `, (answer) =>
          resume(Effect.succeed(/^y(es)?$/i.test(answer.trim())))
        )
      })
      // Lines that wait already are read in the meantime, and dropped: after a late timer, before the yield ends.
      const later = Effect.delay(Effect.andThen(Effect.yieldNow, asked), "50 millis")
      return yield* Effect.race(closed, later)
    }, Effect.scoped)
  }
}

/** What `makeTerminal` makes: how a program prints, draws and asks. */
export type Terminal = ReturnType<typeof makeTerminal>

const hidden = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** Shows characters that move the cursor or hide something. */
export const visible = (text: string): string =>
  text.replace(hidden, (character) =>
    character === "\n" ? "\\n" : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
  )

/** Aligns cells in columns: words to the left, and with `numbers` the last column to the right. */
export const tableOf = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
  numbers: "left" | "right" = "left"
): string => {
  const widths: Array<number> = []
  for (const row of rows) {
    row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, cell.length)))
  }
  const aligned = (cell: string, at: number, { length }: ReadonlyArray<string>): string =>
    numbers === "right" && at === length - 1
      ? cell.padStart(widths[at] ?? 0)
      : cell.padEnd(widths[at] ?? 0)
  return rows.map((row) => row.map(aligned).join("  ").trimEnd()).join("\n")
}

/** `1,234`. */
export const numberOf = (value: number): string => value.toLocaleString("en")

/** `1 row`, `2 rows`, `2 statuses`. */
export const counted = (value: number, thing: string): string =>
  `${numberOf(value)} ${thing}${value === 1 ? "" : thing.endsWith("s") ? "es" : "s"}`
