/**
 * Kills processes that send a campaign repeatedly, and compares the messages that the service accepted
 * with the journal.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Campaign } from "@messaging-topup/campaign"
import type { RowState } from "@messaging-topup/journal"
import { Fault, Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
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

const rowsPerKill = 60

/** One row of ten meets a forced failure. */
const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    rowOf(index, index % 10 === 0 ? failingEnds[(index / 10) % failingEnds.length] : "7")
  )

export interface Report {
  readonly kills: number
  readonly sent: number
  /** Rows that the service accepted more than once. */
  readonly twice: ReadonlyArray<string>
  /** Rows that the service accepted, and that are neither sent nor unknown in the journal. */
  readonly forgotten: ReadonlyArray<string>
  readonly rows: number
  readonly states: Readonly<Record<RowState, number>>
}

const program = fileURLToPath(new URL("../programs/send.ts", import.meta.url))

const random = (below: number): number => Math.floor(Math.random() * below)

const start = (args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [program, ...args], { stdio: "ignore" })),
    (child) => Effect.promise(() => end(child))
  )

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill("SIGKILL")
  await exited
}

const isOpen = Effect.map(
  Campaign.status("c"),
  ({ counts }) => counts.pending + counts.attempting > 0
)

/** Waits until no row is left to send. */
const allSent = Effect.repeat(Effect.delay(isOpen, "100 millis"), { while: (open) => open })

/** Waits until `count` more requests have arrived, or no row is left. */
const moreRequests = Effect.fnUntraced(function* (count: number) {
  const { awaitReceived, received } = yield* Sandbox
  const { length } = yield* received
  yield* Effect.raceFirst(awaitReceived(length + count), allSent)
})

const killing = Effect.fnUntraced(function* (place: string, kills: number) {
  const sandbox = yield* Sandbox
  const isShared = place.startsWith("postgres:")
  yield* Campaign.load("c", Stream.fromIterable(rowsOf(kills * rowsPerKill)))
  const args = [place, sandbox.baseUrl, Redacted.value(sandbox.token), isShared ? "work" : "run"]
  if (isShared) {
    const database = PgClient.layer({
      host: "127.0.0.1",
      port: Number(place.split(":")[1]),
      username: "journal",
      database: "postgres"
    })
    yield* Effect.provide(Campaign.offer("c"), Layer.provide(quickQueue, database))
  }
  const startAll = Effect.all([start(args), ...(isShared ? [start(args)] : [])])

  for (let kill = 0; kill < kills; kill++) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const [first] = yield* startAll
        yield* moreRequests(1 + random(20))
        yield* sandbox.setFault(Fault.ResetBeforeAcceptance(), { times: 1 })
        yield* moreRequests(5 + random(20))
        if (first !== undefined) yield* Effect.promise(() => end(first))
        // The other worker continues, and takes over.
        if (isShared) yield* moreRequests(random(20))
      })
    )
  }
  yield* sandbox.clearFault
  yield* Effect.scoped(Effect.andThen(startAll, allSent))

  const rows = yield* Stream.runCollect(Campaign.results("c"))
  const known = new Map(rows.map(({ request, state }) => [request.message, state]))
  const taken = new Map<string, number>()
  for (const { message } of yield* sandbox.accepted) {
    taken.set(message, (taken.get(message) ?? 0) + 1)
  }
  const { counts: states } = yield* Campaign.status("c")
  const report: Report = {
    kills,
    sent: taken.size,
    twice: [...taken].flatMap(([message, times]) => (times > 1 ? [message] : [])),
    forgotten: [...taken.keys()].filter(
      (message) => !["sent", "unknown"].includes(known.get(message) ?? "")
    ),
    rows: rows.length,
    states
  }
  return report
})

/**
 * Kills one process on a SQLite file, or one of two workers on PostgreSQL. `place` names the journal.
 */
export const killRepeatedly = (place: string, kills: number) =>
  Effect.provide(killing(place, kills), journalOf(place))
