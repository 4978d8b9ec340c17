/**
 * How fast this process sends: slower where the service is busy or away, and up to the rates that all
 * processes share.
 */
import { SmsText } from "@messaging-topup/core"
import { CampaignJournal, type JournalError, type Row } from "@messaging-topup/journal"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { CampaignOptions } from "../CampaignOptions.ts"
import type { Ended } from "./Outcome.ts"

const firstPauseMillis = 1000

/** How much of a second's rate is reserved at once: what a crash leaves claimed and not sent. */
const reservedPart = 0.1

interface Reserved {
  readonly rows: ReadonlyArray<Row>
  /** Until the first of them may be sent. */
  readonly wait: Duration.Duration
  /** Between one and the next. */
  readonly spacing: Duration.Duration
}

export interface Pace {
  /** How many requests may be under way now. */
  readonly window: () => number
  /** Milliseconds since 1970 until which nothing may be sent. */
  readonly pausedUntil: () => number
  /** Learns from the end of a request. Returns whether a pause begins with it. */
  readonly learn: (ended: Ended) => Effect.Effect<boolean>
  /** Reserves a turn for the first of the rows. */
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
    // Those that were under way when it began say the same once more.
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
      if (settlement.outcome === "accepted") {
        allowed = Math.min(concurrency, allowed * 2)
        nextPause = firstPauseMillis
      }
      return Effect.succeed(false)
    })

  /** As many as one reservation takes, and at least one. */
  const fitting = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> => {
    const mostMessages = (messagesPerSecond ?? Infinity) * reservedPart
    const mostSegments = (segmentsPerSecond ?? Infinity) * reservedPart
    if (mostMessages === Infinity && mostSegments === Infinity) return rows
    let count = 0
    let segments = 0
    for (const row of rows) {
      segments += segmentsPerSecond === undefined ? 0 : segmentsOf(row)
      if (count > 0 && (count + 1 > mostMessages || segments > mostSegments)) break
      count++
    }
    return rows.slice(0, count)
  }

  const turn = (scope: string, amount: number, perSecond: number | undefined) =>
    perSecond === undefined
      ? Effect.succeed(Duration.zero)
      : journal.reserve(scope, amount, perSecond)

  const reserve: Pace["reserve"] = Effect.fnUntraced(function* (wanted) {
    const rows = fitting(wanted)
    const segments =
      segmentsPerSecond === undefined ? 0 : rows.reduce((sum, row) => sum + segmentsOf(row), 0)
    const wait = Duration.max(
      yield* turn("messages", rows.length, messagesPerSecond),
      yield* turn("segments", segments, segmentsPerSecond)
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
