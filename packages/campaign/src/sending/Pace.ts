/**
 * Controls how fast this process sends: how many requests are in flight, over all its slices. It slows
 * down while the service is busy or unavailable, and keeps to the rates that all processes share.
 */
import { SmsText } from "@messaging-topup/core"
import {
  CampaignJournal,
  type JournalError,
  type RateTurn,
  type Row
} from "@messaging-topup/journal"
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

export interface Reserved {
  /** How many of the rows have a turn; 0 if it is too early to reserve one. */
  readonly count: number
  /** How long to wait before the first turn, or before the next reservation. */
  readonly wait: Duration.Duration
  readonly spacingMillis: number
}

/** Pauses, turns and waits are measured by this clock. The wall clock can be set. */
export const monotonicMillis = (clock: Clock.Clock): number =>
  Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

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
  /** For how long no request may start, in milliseconds; 0 or less if requests may start. */
  readonly pauseMillis: () => number
  /** Counts and adapts to the end of a request. Returns whether a new pause begins. */
  readonly end: (ended: RowEnd) => boolean
  /** Returns whether no request could connect for five minutes. Then these minutes begin anew. */
  readonly isUnreachable: () => boolean
  /**
   * Reserves turns for the first rows of the list, as many as fit into one reservation. Absent if there is
   * no rate.
   */
  readonly reserve:
    | ((campaign: string, rows: ReadonlyArray<Row>) => Effect.Effect<Reserved, JournalError>)
    | undefined
}

/** The options that are rates. */
export const rateOptions = [
  { option: "messagesPerSecond", unit: "messages", of: "campaign" },
  { option: "segmentsPerSecond", unit: "segments", of: "campaign" },
  { option: "accountMessagesPerSecond", unit: "messages", of: "account" },
  { option: "accountSegmentsPerSecond", unit: "segments", of: "account" }
] as const

const scopeOf = ({ of, unit }: (typeof rateOptions)[number], campaign: string): string =>
  of === "account" ? `${unit} of account` : `${unit} of campaign ${campaign}`

export const make = Effect.fnUntraced(function* (options: CampaignOptions, concurrency: number) {
  const journal = yield* CampaignJournal
  const clock = yield* Clock.Clock
  const longestPause = Duration.toMillis(Duration.fromInputUnsafe(options.maxPause ?? "10 minutes"))
  const rates = rateOptions.flatMap((rate) => {
    const perSecond = options[rate.option]
    return perSecond === undefined ? [] : [{ ...rate, perSecond }]
  })
  const countsSegments = rates.some(({ unit }) => unit === "segments")
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

  const pause = ({ isUnreachable, retryAfterSeconds }: NonNullable<RowEnd["slowDown"]>) => {
    const now = monotonicMillis(clock)
    // Requests that were in flight when the pause began end the same way. They do not begin a new pause.
    const isNew = now >= paused
    const wanted = retryAfterSeconds === undefined ? nextPause : retryAfterSeconds * 1000
    const longest = isUnreachable ? Math.min(longestPause, longestUnreachableMillis) : longestPause
    if (isUnreachable) unreachable = { since: unreachable?.since ?? now, until: now }
    paused = Math.max(paused, now + Math.min(wanted, longest))
    allowed = 1
    if (isNew) nextPause = Math.min(nextPause * 2, longestPause)
    return isNew
  }

  const end: Pace["end"] = ({ settlement, slowDown }) => {
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
    return false
  }

  /** Returns how many of the first rows fit into one reservation, at least one, and what they take. */
  const fitting = (rows: ReadonlyArray<Row>) => {
    let taken = { messages: 0, segments: 0 }
    for (const { request } of rows) {
      const next = {
        messages: taken.messages + 1,
        segments: taken.segments + (countsSegments ? SmsText.preview(request.message).segments : 0)
      }
      const isTooMuch = rates.some(
        ({ perSecond, unit }) => next[unit] > perSecond * reservedSeconds
      )
      if (taken.messages > 0 && isTooMuch) break
      taken = next
    }
    return taken
  }

  const reserve = Effect.fnUntraced(function* (campaign: string, rows: ReadonlyArray<Row>) {
    const taken = fitting(rows)
    const turns = rates.map((rate): RateTurn => ({
      scope: scopeOf(rate, campaign),
      amount: taken[rate.unit],
      perSecond: rate.perSecond
    }))
    const { isReserved, wait } = yield* journal.reserve(turns)
    const seconds = Math.max(...turns.map(({ amount, perSecond }) => amount / perSecond))
    const count = isReserved ? taken.messages : 0
    return { count, wait, spacingMillis: (seconds * 1000) / taken.messages }
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
    pauseMillis: () => paused - monotonicMillis(clock),
    reserve: rates.length === 0 ? undefined : reserve,
    room: () => allowed - inFlight,
    roomMade,
    start: () => {
      inFlight++
    }
  }
  return pace
})
