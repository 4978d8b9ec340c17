/** One run of a program: its arguments, variables, streams and signals. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { numberOf, type Streams, type Terminal } from "./Terminal.ts"

/** All that ask a program to stop. */
export const signals = ["SIGHUP", "SIGINT", "SIGTERM"] as const

/** What asks a program to stop. */
export type Signal = (typeof signals)[number]

/** What a program is run with. */
export interface Invoked extends Streams {
  readonly args: ReadonlyArray<string>
  /** Completes when the program is asked to stop. */
  readonly stop: Effect.Effect<Signal>
}

/** The same for its code, with the terminal. */
export class Invocation extends Context.Service<
  Invocation,
  Invoked & { readonly terminal: Terminal }
>()("@messaging-topup/command/Invocation") {}

type Printing = Effect.Effect<void, never, Invocation>

/** Prints on stdout. */
export const print = (text: string): Printing =>
  Effect.flatMap(Invocation, ({ terminal }) => terminal.print(text))

/** Prints a line for a person, on stderr. */
export const note = (text: string): Printing =>
  Effect.flatMap(Invocation, ({ terminal }) => terminal.note(text))

/** Counts things for a person who waits. A short work shows nothing. Returns how to count more. */
export const counter = Effect.fnUntraced(function* (what: string) {
  const { terminal } = yield* Invocation
  let count = 0
  yield* terminal.draw(
    ({ width }) => `${numberOf(count)} ${what}`.slice(0, width - 1),
    "300 millis"
  )
  return (more: number): void => {
    count += more
  }
})
