/**
 * Kills processes that send a campaign repeatedly, and compares the messages that the service accepted
 * with the journal.
 */
import { Campaign } from "@messaging-topup/campaign"
import type { RowState } from "@messaging-topup/journal"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { journalOf } from "../../journal/support/JournalOf.ts"
import { quickQueue } from "./Queue.ts"
import { rowOf } from "./Rows.ts"

/** Endings of recipients for which the sandbox forces failures or slow responses: see its README. */
const failingEnds = ["0900", "0500", "0902", "0901", "0404"]

/** A row, of which every so many meets a forced failure. */
export const failingRow = (index: number, every: number) =>
  rowOf(index, index % every === 0 ? failingEnds[(index / every) % failingEnds.length] : "7")

const rowsPerKill = 60

export interface Report {
  readonly sent: number
  /** Texts that the service accepted more than once. */
  readonly twice: ReadonlyArray<string>
  /** Rows that the service accepted, and that are neither sent nor unknown in the journal. */
  readonly forgotten: ReadonlyArray<string>
  readonly rows: number
  readonly states: Readonly<Record<RowState, number>>
  /** Texts that the service accepted, and that no row has. */
  readonly others: ReadonlyArray<string>
}

/** Compares what the service accepted with the rows of a campaign. */
export const compared = Effect.fnUntraced(function* (campaign: string) {
  const rows = yield* Stream.runCollect(Campaign.results(campaign))
  const known = new Map(rows.map(({ request, state }) => [request.message, state]))
  const { messages } = yield* Sandbox
  const taken = new Map<string, number>()
  for (const { message } of yield* messages()) taken.set(message, (taken.get(message) ?? 0) + 1)
  const ofRows = [...taken.keys()].filter((message) => known.has(message))
  const { counts: states } = yield* Campaign.status(campaign)
  const report: Report = {
    sent: ofRows.length,
    twice: [...taken].flatMap(([message, times]) => (times > 1 ? [message] : [])),
    forgotten: ofRows.filter((message) => !["sent", "unknown"].includes(known.get(message) ?? "")),
    rows: rows.length,
    states,
    others: [...taken.keys()].filter((message) => !known.has(message))
  }
  return report
})

const program = fileURLToPath(new URL("../programs/send.ts", import.meta.url))

export const random = (below: number): number => Math.floor(Math.random() * below)

const start = (args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [program, ...args], { stdio: "ignore" })),
    (child) => Effect.promise(() => end(child, "SIGKILL"))
  )

/** Ends a process, and waits until it has ended. Returns its exit code. */
export const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> => {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exited = once(child, "exit")
  child.kill(signal)
  await exited
  return child.exitCode
}

const isOpen = Effect.map(
  Campaign.status("c"),
  ({ counts }) => counts.pending + counts.attempting > 0
)

/** Waits until no row is left to send. */
const allSent = Effect.repeat(Effect.delay(isOpen, "100 millis"), { while: (open) => open })

/** Waits until `count` more requests have arrived, or no row is left. */
const moreRequests = Effect.fnUntraced(function* (count: number) {
  const { requests, until } = yield* Sandbox
  const { length } = yield* requests()
  yield* Effect.raceFirst(
    until((kept) => kept.requests.length >= length + count),
    allSent
  )
})

const killing = Effect.fnUntraced(function* (place: string, kills: number) {
  const sandbox = yield* Sandbox
  const isShared = place.startsWith("postgres:")
  const rows = Array.from({ length: kills * rowsPerKill }, (_, index) => failingRow(index, 10))
  yield* Campaign.load("c", Stream.fromIterable(rows))
  const args = [place, sandbox.baseUrl, Redacted.value(sandbox.token), isShared ? "work" : "run"]
  if (isShared) yield* Effect.provide(Campaign.offer("c"), quickQueue(place))
  const startAll = Effect.all([start(args), ...(isShared ? [start(args)] : [])])

  for (let kill = 0; kill < kills; kill++) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const [first] = yield* startAll
        yield* moreRequests(1 + random(20))
        yield* sandbox.setFault({ fault: "ResetBeforeAcceptance", times: 1 })
        yield* moreRequests(5 + random(20))
        if (first !== undefined) yield* Effect.promise(() => end(first, "SIGKILL"))
        // The other worker continues, and takes over.
        if (isShared) yield* moreRequests(random(20))
      })
    )
  }
  yield* sandbox.clearFault
  yield* Effect.scoped(Effect.andThen(startAll, allSent))

  return { kills, ...(yield* compared("c")) }
})

/**
 * Kills one process on a SQLite file, or one of two workers on PostgreSQL. `place` names the journal.
 */
export const killRepeatedly = (place: string, kills: number) =>
  Effect.provide(killing(place, kills), journalOf(place))
