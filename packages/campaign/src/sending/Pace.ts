/**
 * Controls how fast this process sends: how many requests are in flight, over all its slices. It slows
 * down while the service is busy or unavailable, and keeps to the rates that all processes share.
 */
import { SmsText } from "@messaging-topup/core"
import { CampaignJournal, type JournalError, type Row } from "@messaging-topup/journal"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Semaphore from "effect/Semaphore"
import type { CampaignOptions } from "./CampaignOptions.ts"
import type { RowEnd } from "./Outcome.ts"

const firstPauseMillis = 1000

/** A service that is not reachable cannot say when it is back, so it is tried once a minute. */
const longestUnreachableMillis = 60_000

/** So long without a connection is no short failure, and a person must know. */
const maxUnreachableMillis = 5 * 60_000

/** Seconds of the rate that are reserved at once. A reservation that is not used is lost, so it is short. */
const reservedSeconds = 0.1

interface Reserved {
  readonly rows: ReadonlyArray<Row>
  /** How long to wait before the first row. */
  readonly wait: Duration.Duration
  /** How long to wait between rows. */
  readonly spacing: Duration.Duration
}

/**
 * The maximum number of slices that a process has open. The last rows of a slice can take as long as the
 * time-out of a request; this many slices keep 500 requests in flight if 1 % of the responses take 3 s.
 */
export const maxOpenSlices = 64

export interface Pace {
  /**
   * Runs attempts, one after the other as long as they have rows to claim: the next one begins when the
   * last one runs `allClaimed`, or ends. So an attempt that only waits for responses holds up nothing.
   */
  readonly claimInTurn: <A, E, R>(
    attempt: (allClaimed: Effect.Effect<void>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** How many more requests may be in flight now. */
  readonly room: () => number
  /** Opens when a request of any slice ends. The attempt that has rows to claim waits for it. */
  readonly roomMade: Latch.Latch
  /** Counts a request that is in flight from now on. */
  readonly start: () => void
  /** Until when no request may start, in milliseconds since 1970. */
  readonly pausedUntil: () => number
  /** Counts and adapts to the end of a request. Returns whether a new pause begins. */
  readonly end: (ended: RowEnd) => Effect.Effect<boolean>
  /** Returns whether no request could connect for five minutes. Then these minutes begin anew. */
  readonly isUnreachable: () => boolean
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
  // The first request shows whether the service accepts anything.
  let allowed = 1
  let paused = 0
  let nextPause = firstPauseMillis
  let inFlight = 0
  let unreachable: { readonly since: number; readonly until: number } | undefined
  const roomMade = Latch.makeUnsafe(false)
  const claiming = Semaphore.makeUnsafe(1)

  const claimInTurn: Pace["claimInTurn"] = (attempt) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        let isClaiming = true
        const allClaimed = Effect.suspend(() => {
          if (!isClaiming) return Effect.void
          isClaiming = false
          return Effect.asVoid(claiming.release(1))
        })
        return Effect.andThen(
          restore(claiming.take(1)),
          Effect.ensuring(restore(attempt(allClaimed)), allClaimed)
        )
      })
    )

  const pause = Effect.fnUntraced(function* ({
    isUnreachable,
    retryAfterSeconds
  }: NonNullable<RowEnd["slowDown"]>) {
    const now = yield* Clock.currentTimeMillis
    // Requests that were in flight when the pause began end the same way. They do not begin a new pause.
    const isNew = now >= paused
    const wanted = retryAfterSeconds === undefined ? nextPause : retryAfterSeconds * 1000
    const longest = isUnreachable ? Math.min(longestPause, longestUnreachableMillis) : longestPause
    if (isUnreachable) unreachable = { since: unreachable?.since ?? now, until: now }
    paused = Math.max(paused, now + Math.min(wanted, longest))
    allowed = 1
    if (isNew) nextPause = Math.min(nextPause * 2, longestPause)
    return isNew
  })

  const end: Pace["end"] = ({ settlement, slowDown }) =>
    Effect.suspend(() => {
      inFlight--
      roomMade.openUnsafe()
      // A row that was interrupted before its request says nothing about the service.
      const wasInterrupted = slowDown === undefined && settlement.outcome === "released"
      if (slowDown?.isUnreachable !== true && !wasInterrupted) unreachable = undefined
      if (slowDown !== undefined) return pause(slowDown)
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

  const isUnreachable = (): boolean => {
    const { since, until } = unreachable ?? { since: 0, until: 0 }
    if (until - since < maxUnreachableMillis) return false
    unreachable = undefined
    return true
  }

  const pace: Pace = {
    claimInTurn,
    end,
    isUnreachable,
    pausedUntil: () => paused,
    reserve,
    room: () => allowed - inFlight,
    roomMade,
    start: () => {
      inFlight++
    }
  }
  return pace
})
