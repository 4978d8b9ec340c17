/** The output of the command: tables on a terminal, otherwise one JSON object per line. */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { numberOf } from "../text/Format.ts"
import { Invocation, type Output } from "./Invocation.ts"

/** Waits for a slow reader, but not for one that has closed the stream. */
const write = (stream: Output, text: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (stream.destroyed || stream.write(text)) return resume(Effect.void)
    const go = () => {
      for (const event of events) stream.off(event, go)
      resume(Effect.void)
    }
    const events = ["drain", "close", "error"]
    for (const event of events) stream.on(event, go)
  })

export const print = (text: string): Effect.Effect<void, never, Invocation> =>
  Effect.flatMap(Invocation, ({ stdout }) => write(stdout, `${text}\n`))

/** Moves the cursor to the beginning of the line and clears the line. */
export const clear = "\r\u001b[K"

/** The streams that have a line which is drawn again and again. */
export const drawnOn = new WeakSet<Output>()

/** Prints a line for a person, on stderr. It replaces a line that is drawn there. */
export const note = (text: string): Effect.Effect<void, never, Invocation> =>
  Effect.flatMap(Invocation, ({ stderr }) =>
    write(stderr, `${drawnOn.has(stderr) ? clear : ""}${text}\n`)
  )

/**
 * Prints what a module logs as one line on stderr. The default logger would print traces on stdout, among
 * the JSON.
 */
export const loggerOf = (stderr: Output): Logger.Logger<unknown, void> =>
  Logger.make(({ message }) => {
    const [first] = Array.isArray(message) ? message : [message]
    const text = typeof first === "string" ? first : "The journal is not available"
    stderr.write(`${drawnOn.has(stderr) ? clear : ""}${text}\n`)
  })

export const isTerminal: Effect.Effect<boolean, never, Invocation> = Effect.map(
  Invocation,
  ({ stdout }) => stdout.isTTY === true
)

export interface JsonEvent {
  readonly event: string
  readonly [field: string]: unknown
}

/** Prints the text on a terminal, if there is one, and otherwise the event as JSON. */
export const report = Effect.fnUntraced(function* (event: JsonEvent, text?: string) {
  if (!(yield* isTerminal)) yield* print(JSON.stringify(event))
  else if (text !== undefined) yield* print(text)
})

const hidden = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

const maxShown = 300

/** Quotes an SMS text for a terminal, without characters that move the cursor or hide something. */
export const quotedText = (text: string): string => {
  // Excel ends a line with both characters.
  const visible = text
    .replaceAll("\r\n", "\n")
    .replace(hidden, (character) =>
      character === "\n" ? "\\n" : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
    )
  return `"${visible.length > maxShown ? `${visible.slice(0, maxShown)}…` : visible}"`
}

/** A count, with its name in JSON and its words in a table. A rare one is shown only if it is not 0. */
export type Count = readonly [name: string, words: string, count: number, is?: "rare" | undefined]

/** Aligns words to the left and numbers to the right. */
export const table = (rows: ReadonlyArray<Count>): string => {
  const shown = rows.filter(([, , count, is]) => count > 0 || is === undefined)
  const cells = shown.map(([, words, count]) => [words, numberOf(count)] as const)
  const width = Math.max(...cells.map(([words]) => words.length))
  const countWidth = Math.max(...cells.map(([, count]) => count.length))
  return cells
    .map(([words, count]) => `  ${words.padEnd(width)}  ${count.padStart(countWidth)}`)
    .join("\n")
}

/** Reports counts: in JSON all of them, besides the other fields of the event. */
export const reportCounts = (event: JsonEvent, title: string, counts: ReadonlyArray<Count>) => {
  const named = Object.fromEntries(counts.map(([name, , count]) => [name, count]))
  return report({ ...event, ...named }, `${title}\n${table(counts)}`)
}
