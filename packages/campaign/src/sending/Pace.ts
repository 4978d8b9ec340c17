/**
 * Controls how fast this process sends: it slows down while the service is busy or unavailable, and keeps
 * to the rates that all processes share.
 */
import { SmsText } from "@messaging-topup/core"
import { CampaignJournal, type JournalError, type Row } from "@messaging-topup/journal"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { CampaignOptions } from "./CampaignOptions.ts"
import type { RowEnd } from "./Outcome.ts"

const firstPauseMillis = 1000

/**
 * Seconds of the rate that are reserved at once. Reserved rows are claimed, and a crash leaves claimed
 * rows unknown, so it is short.
 */
const reservedSeconds = 0.1

interface Reserved {
  readonly rows: ReadonlyArray<Row>
  /** How long to wait before the first row. */
  readonly wait: Duration.Duration
  /** How long to wait between rows. */
  readonly spacing: Duration.Duration
}

export interface Pace {
  /** How many requests may be in flight now. */
  readonly window: () => number
  /** Until when no request may start, in milliseconds since 1970. */
  readonly pausedUntil: () => number
  /** Adapts to the end of a request. Returns whether a new pause begins. */
  readonly learn: (ended: RowEnd) => Effect.Effect<boolean>
  /** Reserves time for the first rows of the list, as many as fit into one reservation. */
  readonly reserve: (rows: ReadonlyArray<Row>) => Effect.Effect<Reserved, JournalError>
}

const segmentsOf = ({ request }: Row): number => SmsText.preview(request.message).segments

export const make = Effect.fnUntraced(function* (
  { maxPause, messagesPerSecond, segmentsPerSecond }: CampaignOptions,
  concurrency: number
) {
  const journal = yield* CampaignJournal
  const longestPause = Duration.toMillis(Duration.fromInputUnsafe(maxPause ?? "10 minutes"))
  let allowed = concurrency
  let paused = 0
  let nextPause = firstPauseMillis

  const pause = Effect.fnUntraced(function* (retryAfterSeconds: number | undefined) {
    const now = yield* Clock.currentTimeMillis
    // Requests that were in flight when the pause began end the same way. They do not begin a new pause.
    const isNew = now >= paused
    const wanted = retryAfterSeconds === undefined ? nextPause : retryAfterSeconds * 1000
    paused = Math.max(paused, now + Math.min(wanted, longestPause))
    allowed = 1
    if (isNew) nextPause = Math.min(nextPause * 2, longestPause)
    return isNew
  })

  const learn: Pace["learn"] = ({ settlement, slowDown }) =>
    Effect.suspend(() => {
      if (slowDown !== undefined) return pause(slowDown.retryAfterSeconds)
      if (settlement.outcome === "sent") {
        allowed = Math.min(concurrency, allowed * 2)
        nextPause = firstPauseMillis
      }
      return Effect.succeed(false)
    })

  /** Returns the first rows that fit into one reservation, at least one. */
  const fitting = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> => {
    const maxMessages = (messagesPerSecond ?? Infinity) * reservedSeconds
    const maxSegments = (segmentsPerSecond ?? Infinity) * reservedSeconds
    if (maxMessages === Infinity && maxSegments === Infinity) return rows
    let count = 0
    let segments = 0
    for (const row of rows) {
      segments += segmentsPerSecond === undefined ? 0 : segmentsOf(row)
      if (count > 0 && (count + 1 > maxMessages || segments > maxSegments)) break
      count++
    }
    return rows.slice(0, count)
  }

  const reserveRate = (scope: string, amount: number, perSecond: number | undefined) =>
    perSecond === undefined
      ? Effect.succeed(Duration.zero)
      : journal.reserve(scope, amount, perSecond)

  const reserve: Pace["reserve"] = Effect.fnUntraced(function* (wanted) {
    const rows = fitting(wanted)
    const segments =
      segmentsPerSecond === undefined ? 0 : rows.reduce((sum, row) => sum + segmentsOf(row), 0)
    const wait = Duration.max(
      yield* reserveRate("messages", rows.length, messagesPerSecond),
      yield* reserveRate("segments", segments, segmentsPerSecond)
    )
    const seconds = Math.max(
      messagesPerSecond === undefined ? 0 : 1 / messagesPerSecond,
      segmentsPerSecond === undefined ? 0 : segments / rows.length / segmentsPerSecond
    )
    return { rows, wait, spacing: Duration.millis(seconds * 1000) }
  })

  const pace: Pace = { window: () => allowed, pausedUntil: () => paused, learn, reserve }
  return pace
})
