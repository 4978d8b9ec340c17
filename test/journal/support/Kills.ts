/**
 * Kills sending programs repeatedly, and compares the messages that the service accepted with the journal.
 */
import { type KnownSend, SendJournal } from "@messaging-topup/journal"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { journalOf } from "./JournalOf.ts"
import { start } from "./Programs.ts"
import { campaign } from "./SendingRun.ts"

export interface Report {
  readonly kills: number
  readonly accepted: number
  /** Messages that the service accepted more than once. */
  readonly twice: ReadonlyArray<string>
  /** Messages that the service accepted, and that the journal has neither as sent nor as in doubt. */
  readonly forgotten: ReadonlyArray<string>
  /** Messages that the journal has as sent, and that the service never accepted. */
  readonly untrue: ReadonlyArray<string>
  readonly states: Readonly<Record<string, number>>
}

const random = (below: number): number => Math.floor(Math.random() * below)

/** What the journal knows, by the text of the message. */
const known = (singles: number) =>
  Effect.gen(function* () {
    const { campaigns } = yield* SendJournal
    const rows = yield* campaigns.sends(campaign, { limit: 1_000_000 })
    const keys = Array.from({ length: singles }, (_, index) => `s${index}`)
    const single = yield* (yield* SendJournal).server.look(
      keys.map((key) => ({ key, request: "" }))
    )
    const found: Array<readonly [string, KnownSend["state"]]> = rows.map(({ key, state }) => [
      `row ${Number(key.slice(1))}`,
      state
    ])
    for (const [index, { send }] of single.entries()) {
      if (send !== undefined) found.push([`single ${index}`, send.state])
    }
    return new Map(found)
  })

/** Kills `processes` programs `kills` times at random points, then lets the last run end. */
export const killRepeatedly = Effect.fnUntraced(function* (
  place: string,
  kills: number,
  processes: number
) {
  const sandbox = yield* Sandbox
  const [rows, singles] = [kills * 60, kills * 20]
  const args = [
    place,
    sandbox.baseUrl,
    Redacted.value(sandbox.token),
    String(rows),
    String(singles)
  ]
  const awaitMore = (count: number) =>
    Effect.flatMap(sandbox.requests(), ({ length }) =>
      sandbox.until(({ requests }) => requests.length >= length + count)
    )

  for (let kill = 0; kill < kills; kill++) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const programs = yield* Effect.all(
          Array.from({ length: processes }, () => start("send.ts", ...args))
        )
        const ended = Effect.all(programs.map((program) => program.ended))
        yield* Effect.raceFirst(awaitMore(1 + random(20)), ended)
        yield* sandbox.setFault({ fault: "ResetBeforeAcceptance", times: 1 })
        yield* Effect.raceFirst(awaitMore(20 + random(20)), ended)
      })
    )
  }
  const last = yield* start("send.ts", ...args)
  const { code, stderr } = yield* last.ended
  if (code !== 0) return yield* Effect.die(new Error(stderr))

  const journal = yield* Effect.provide(known(singles), journalOf(place))
  const taken = new Map<string, number>()
  for (const { message } of yield* sandbox.messages()) {
    taken.set(message, (taken.get(message) ?? 0) + 1)
  }
  const states: Record<string, number> = {}
  for (const state of journal.values()) states[state] = (states[state] ?? 0) + 1
  const report: Report = {
    kills: kills * processes,
    accepted: taken.size,
    twice: [...taken].flatMap(([message, count]) => (count > 1 ? [message] : [])),
    forgotten: [...taken.keys()].filter(
      (message) => !["sent", "unknown", "in-flight"].includes(journal.get(message) ?? "")
    ),
    untrue: [...journal].flatMap(([message, state]) =>
      state === "sent" && !taken.has(message) ? [message] : []
    ),
    states
  }
  return report
})
