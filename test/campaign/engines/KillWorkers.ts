/**
 * Kills workers of an engine that send a campaign repeatedly, and compares the messages that the service
 * accepted with the journal.
 */
import { Campaign } from "@messaging-topup/campaign"
import { SendJournal } from "@messaging-topup/journal"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ChildProcess } from "node:child_process"
import { journalOf } from "../../journal/support/JournalOf.ts"
import { freePort } from "../../support/FreePort.ts"
import { compared, end, failingRow, random } from "../support/Kills.ts"
import { type EngineName, hasOffered, startWorker } from "./Worker.ts"

export interface Engine {
  readonly name: EngineName
  /** Whether each worker offers the slices at its start. Otherwise only the first worker does, once. */
  readonly offersAtStart?: boolean
  /** Enqueues single SMS, at the start and after each kill. */
  readonly enqueueSingles?: Effect.Effect<void>
}

export const rowsPerKill = 120
const rowsPerLoad = 30

/** Loads the rows in small slices, so that each worker takes many slices. */
const load = (campaign: string, count: number) =>
  Effect.forEach(
    Array.from({ length: count / rowsPerLoad }, (_, place) => place * rowsPerLoad),
    (first) =>
      Campaign.load(
        campaign,
        Stream.map(Stream.range(first, first + rowsPerLoad - 1), (index) => failingRow(index, 20))
      )
  )

const kill = (child: ChildProcess | undefined) =>
  Effect.promise(async () => child && end(child, "SIGKILL"))

const isOpen = (campaign: string) =>
  Effect.flatMap(SendJournal, ({ openSlices }) =>
    Effect.map(openSlices(campaign), (slices) => slices.length > 0)
  )

/** Waits until no slice is left. */
const allDone = (campaign: string) =>
  Effect.repeat(Effect.delay(isOpen(campaign), "100 millis"), { while: (open) => open })

/** Waits until `count` more requests have arrived, or no slice is left. */
const moreRequests = Effect.fnUntraced(function* (campaign: string, count: number) {
  const { requests, until } = yield* Sandbox
  const { length } = yield* requests()
  yield* Effect.raceFirst(
    until((kept) => kept.requests.length >= length + count),
    allDone(campaign)
  )
})

const killing = Effect.fnUntraced(function* (engine: Engine, database: number, kills: number) {
  const { enqueueSingles = Effect.void, name, offersAtStart = false } = engine
  const sandbox = yield* Sandbox
  yield* load(name, kills * rowsPerKill)
  const runners = [yield* Effect.promise(freePort), yield* Effect.promise(freePort)] as const
  const start = (index: 0 | 1, isFirst = false) =>
    startWorker(
      name,
      { database, runner: runners[index] },
      ...(isFirst || offersAtStart ? [name] : [])
    )
  const first = yield* start(0, true)
  yield* hasOffered(first)
  const running = [first, yield* start(1)]
  yield* enqueueSingles

  for (let count = 0; count < kills; count++) {
    const index = count % 2 === 0 ? 0 : 1
    yield* sandbox.setFault({ fault: "ResetBeforeAcceptance", times: 1 })
    yield* moreRequests(name, 5 + random(40))
    yield* kill(running[index])
    // The other worker continues.
    yield* moreRequests(name, random(10))
    running[index] = yield* start(index)
    yield* enqueueSingles
  }
  // Waits until the last worker has started.
  yield* moreRequests(name, 100)
  // Rows that get 429 did not go out. Their slice is not done, so it needs a new job.
  yield* sandbox.setFault({ fault: "Response", status: 429, body: "", times: 2 })
  yield* allDone(name)

  return { engine: name, kills, ...(yield* compared(name)) }
})

/** Runs two workers on a sandbox, and kills them in turn. */
export const killWorkers = (engine: Engine, database: number, kills: number) =>
  killing(engine, database, kills).pipe(
    // Fails if no worker takes the last slices.
    Effect.timeout(`${35 + 5 * kills} seconds`),
    Effect.scoped,
    Effect.provide(journalOf(`postgres:${database}`))
  )
