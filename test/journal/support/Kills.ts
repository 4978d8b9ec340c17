/**
 * Kills a sending program repeatedly, and compares the messages that the service accepted with the
 * journal.
 */
import { type NewRow, SendClaims, SendJournal } from "@messaging-topup/journal"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { journalOf } from "./JournalOf.ts"
import { start } from "./Programs.ts"

/** Endings of recipients for which the sandbox forces failures: see its README. */
const failingEnds = ["0900", "0500", "0402", "0902"]

/** One row of ten meets a forced failure. */
const rowsOf = (count: number): ReadonlyArray<NewRow> =>
  Array.from({ length: count }, (_, index) => {
    const end =
      index % 10 === 0 ? failingEnds[(index / 10) % failingEnds.length] : String(1000 + index)
    return { key: `r${index}`, request: { recipient: `+1555${end}`, message: `row r${index}` } }
  })

export interface Report {
  readonly kills: number
  readonly sent: number
  /** Messages that the service accepted more than once. */
  readonly twice: ReadonlyArray<string>
  /**
   * Messages that the service accepted and the journal has neither as sent, unknown nor in flight.
   */
  readonly lost: ReadonlyArray<string>
  readonly states: Readonly<Record<string, number>>
}

const random = (below: number): number => Math.floor(Math.random() * below)

const journalStates = Effect.gen(function* () {
  const journal = yield* SendJournal
  const { recent } = yield* SendClaims
  const rows = (yield* Effect.forEach(yield* journal.slices("c"), journal.rows)).flat()
  const singles = yield* recent({}, 1_000_000)
  return new Map([
    ...rows.map(({ request, state }) => [request.message, state] as const),
    ...singles.map(({ key, state }) => [`single ${key}`, state] as const)
  ])
})

/** Kills the program `kills` times at random points, then lets the last run end. */
export const killRepeatedly = Effect.fnUntraced(function* (place: string, kills: number) {
  const sandbox = yield* Sandbox
  const rows = rowsOf(kills * 40)
  const append = Effect.flatMap(SendJournal, ({ append: add }) => add("c", rows))
  yield* Effect.provide(append, journalOf(place))
  const args = [place, sandbox.baseUrl, Redacted.value(sandbox.token), String(kills * 20)]

  for (let kill = 0; kill < kills; kill++) {
    const { length } = yield* sandbox.requests()
    yield* Effect.scoped(
      Effect.gen(function* () {
        const program = yield* start("run.ts", ...args)
        const ended = Effect.flatMap(program.ended, ({ code, stderr }) =>
          code === 0 ? Effect.void : Effect.die(new Error(stderr))
        )
        const some = length + 1 + random(20)
        yield* Effect.raceFirst(
          sandbox.until(({ requests }) => requests.length >= some),
          ended
        )
        yield* sandbox.setFault({ fault: "ResetBeforeAcceptance", times: 1 })
        const more = some + 20
        yield* Effect.raceFirst(
          sandbox.until(({ requests }) => requests.length >= more),
          ended
        )
      })
    )
  }
  const last = yield* start("run.ts", ...args)
  const { code, stderr } = yield* last.ended
  if (code !== 0) return yield* Effect.die(new Error(stderr))

  const known: ReadonlyMap<string, string> = yield* Effect.provide(journalStates, journalOf(place))
  const taken = new Map<string, number>()
  for (const { message } of yield* sandbox.messages()) {
    taken.set(message, (taken.get(message) ?? 0) + 1)
  }
  const states: Record<string, number> = {}
  for (const state of known.values()) states[state] = (states[state] ?? 0) + 1
  const report: Report = {
    kills,
    sent: taken.size,
    twice: [...taken].flatMap(([message, count]) => (count > 1 ? [message] : [])),
    lost: [...taken.keys()].filter(
      (message) => !["sent", "unknown", "in-flight"].includes(known.get(message) ?? "")
    ),
    states
  }
  return report
})
