/**
 * Sends the rows of a batch, each once. It goes on without the call that started it.
 */
import { documentedErrors, type MessagingTopup } from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Record from "effect/Record"
import {
  type BatchRow,
  failedRow,
  notStarted,
  type RowEnd,
  sentRow,
  type Standing
} from "./BatchRow.ts"
import type { ApprovedBy } from "./PlannedSend.ts"
import { factsOf, type Refusal, stillInFlight, toolFailed } from "./Refusal.ts"
import type { Sent } from "./SendEnd.ts"

export interface BatchRun {
  readonly rows: ReadonlyArray<BatchRow>
  readonly approvedBy: ApprovedBy
  /** The rows that have ended, by number. When the run is over, all have. */
  readonly ends: ReadonlyMap<number, RowEnd>
  /** When it was over, in milliseconds since 1970. */
  readonly overAt: () => number | undefined
  readonly isOver: Effect.Effect<void>
  /** Runs after each row. */
  readonly listeners: Set<Effect.Effect<void>>
  /** Starts no further row. What is in flight goes on. */
  readonly stop: Effect.Effect<void>
}

interface BatchRunOptions {
  readonly rows: ReadonlyArray<BatchRow>
  readonly standings: ReadonlyArray<Standing>
  readonly approvedBy: ApprovedBy
  readonly send: (row: BatchRow) => Effect.Effect<Sent, Refusal, MessagingTopup>
}

const rowsInFlight = 4

/** With so many, the service probably responds to nothing, and all further rows would be unknown too. */
const maxUnknown = 4

/** How long the batch waits for a row that another call is sending. */
const elsewhereTimeout = "5 seconds"

/** The errors that concern one row. After any other error, all further rows would fail too. */
const errorsOfOneRow = new Set<unknown>([
  "InvalidInput",
  ...Record.keys(documentedErrors).filter((tag) => documentedErrors[tag].concerns === "request")
])

/** The codes of refusals that say nothing about further rows. */
const codesOfOneRow: ReadonlySet<Refusal["code"]> = new Set([
  "send_unknown",
  "in_flight",
  "in_flight_elsewhere",
  "unknown_not_resent",
  "not_sent_elsewhere",
  "cancelled"
])

const concernsOneRow = ({ code, details }: Refusal): boolean =>
  code === "send_failed" ? errorsOfOneRow.has(details?.["error"]) : codesOfOneRow.has(code)

const refusedRow = (refusal: Refusal): RowEnd =>
  failedRow(factsOf(refusal, false).outcome ?? "unknown", refusal)

export const start = Effect.fnUntraced(function* ({
  approvedBy,
  rows,
  send,
  standings
}: BatchRunOptions): Effect.fn.Return<BatchRun, never, MessagingTopup> {
  const ends = new Map<number, RowEnd>()
  const begun = new Set<number>()
  const listeners = new Set<Effect.Effect<void>>()
  const isOver = Deferred.makeUnsafe<void>()
  let overAt: number | undefined
  let isStopped = false

  const settle = (row: BatchRow, end: RowEnd) =>
    Effect.suspend(() => {
      ends.set(row.number, end)
      return Effect.forEach(listeners, (listener) => listener, { discard: true })
    })

  const failed = (row: BatchRow, refusal: Refusal) =>
    Effect.suspend(() => {
      const unknown = [...ends.values()].filter(({ outcome }) => outcome === "unknown").length
      isStopped ||= !concernsOneRow(refusal) || unknown + 1 >= maxUnknown
      return settle(row, refusedRow(refusal))
    })

  const sendRow = (row: BatchRow) =>
    Effect.suspend(() => {
      if (isStopped) return Effect.void
      begun.add(row.number)
      return send(row).pipe(
        Effect.catchDefect(() => Effect.fail(toolFailed(false))),
        Effect.matchEffect({
          onSuccess: (sent) => settle(row, sentRow(sent)),
          onFailure: (refusal) => failed(row, refusal)
        })
      )
    })

  const awaitRow = (row: BatchRow, end: Effect.Effect<RowEnd, Refusal>) =>
    end.pipe(
      Effect.timeoutOrElse({
        duration: elsewhereTimeout,
        orElse: () => Effect.fail(stillInFlight)
      }),
      Effect.catch((refusal) => Effect.succeed(refusedRow(refusal))),
      Effect.flatMap((ended) => settle(row, ended))
    )

  const open: Array<BatchRow> = []
  const elsewhere: Array<Effect.Effect<void>> = []
  for (const [at, row] of rows.entries()) {
    const standing = standings[at]
    if (standing?._tag === "Ended") ends.set(row.number, standing.end)
    else if (standing?._tag === "Elsewhere") elsewhere.push(awaitRow(row, standing.end))
    else open.push(row)
  }

  const finish = Effect.gen(function* () {
    for (const row of rows) {
      if (ends.has(row.number)) continue
      // A row that was interrupted may be in flight.
      ends.set(row.number, begun.has(row.number) ? refusedRow(stillInFlight) : notStarted)
    }
    overAt = yield* Clock.currentTimeMillis
    yield* Deferred.succeed(isOver, undefined)
  })

  const running = yield* Effect.all(
    [
      Effect.forEach(open, sendRow, { concurrency: rowsInFlight, discard: true }),
      Effect.all(elsewhere, { concurrency: "unbounded", discard: true })
    ],
    { concurrency: 2, discard: true }
  ).pipe(
    Effect.ensuring(finish),
    Effect.interruptible,
    Effect.forkDetach({ startImmediately: true })
  )

  return {
    rows,
    approvedBy,
    ends,
    overAt: () => overAt,
    isOver: Deferred.await(isOver),
    listeners,
    stop: Fiber.interrupt(running)
  }
})
