/**
 * What the command says: tables on a terminal, and one JSON object a line elsewhere.
 */
import * as Effect from "effect/Effect"
import { Invocation, type Output } from "./Invocation.ts"

/** Waits for a reader that is slow. One that went away is not waited for. */
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

/** For a person. */
export const note = (text: string): Effect.Effect<void, never, Invocation> =>
  Effect.flatMap(Invocation, ({ stderr }) => write(stderr, `${text}\n`))

export const isTerminal: Effect.Effect<boolean, never, Invocation> = Effect.map(
  Invocation,
  ({ stdout }) => stdout.isTTY === true
)

export interface JsonEvent {
  readonly event: string
  readonly [field: string]: unknown
}

/** The text on a terminal, which may be left out; the event elsewhere. */
export const report = Effect.fnUntraced(function* (event: JsonEvent, text?: string) {
  if (!(yield* isTerminal)) yield* print(JSON.stringify(event))
  else if (text !== undefined) yield* print(text)
})

export const numberOf = (count: number): string => count.toLocaleString("en")

/** Names to the left, numbers to the right. */
export const table = (rows: ReadonlyArray<readonly [name: string, count: number]>): string => {
  const cells = rows.map(([name, count]) => [name, numberOf(count)] as const)
  const nameWidth = Math.max(...cells.map(([name]) => name.length))
  const countWidth = Math.max(...cells.map(([, count]) => count.length))
  return cells
    .map(([name, count]) => `  ${name.padEnd(nameWidth)}  ${count.padStart(countWidth)}`)
    .join("\n")
}

export const counted = (count: number, thing: string): string =>
  `${numberOf(count)} ${thing}${count === 1 ? "" : "s"}`
