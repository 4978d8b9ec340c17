/**
 * How many rows may be claimed now, and when: a slow start, pauses while the service is busy or unavailable, quiet hours
 * and the campaign's rate.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { SendManyEvent } from "../model/Campaign.ts"
import type { RowEnd } from "./SendRow.ts"
import type { Settings } from "./Settings.ts"

/** How far the rate may get behind and still catch up: a write of many rows takes that long. */
const catchUpMillis = 100

const firstPauseMillis = 1000

/** The longest pause, even if `Retry-After` is longer. */
const longestPauseMillis = 10 * 60_000

/** A service that is not reachable cannot say when it is back, so it is tried once a minute. */
const longestUnreachableMillis = 60_000

/** So long without the service, or without the journal's file, is no short failure, and a person must know. */
export const patienceMinutes = 5

export const patienceMillis = patienceMinutes * 60_000

/** Pauses and rates are measured by this clock. The wall clock can be set. */
export const monotonicMillis = (clock: Clock.Clock): number =>
  Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

/** The rate of this process. */
const makeRate = (perSecond: number, clock: Clock.Clock) => {
  const rowMillis = 1000 / perSecond
  const atOnce = Math.max(1, Math.floor(catchUpMillis / rowMillis))
  /** When the next row may be claimed. */
  let at = monotonicMillis(clock)
  return {
    /** Returns how many of the wanted rows may be claimed now. */
    take: (wanted: number): number => {
      const now = monotonicMillis(clock)
      at = Math.max(at, now - catchUpMillis)
      if (at > now) return 0
      const taken = Math.min(wanted, atOnce, Math.floor((now - at) / rowMillis) + 1)
      at += taken * rowMillis
      return taken
    },
    /** How long it takes until more rows may be claimed, in milliseconds. */
    waitMillis: () => Math.max(1, at - monotonicMillis(clock))
  }
}

export const make = (
  { concurrency, messagesPerSecond, quietUntil }: Settings,
  clock: Clock.Clock,
  emit: (event: SendManyEvent) => Effect.Effect<void>
) => {
  // The first request shows whether the service accepts anything.
  let allowed = 1
  let inFlight = 0
  let paused = 0
  let nextPause = firstPauseMillis
  let unreachable: { readonly since: number; readonly until: number } | undefined

  /** Says so if it is a new pause. */
  const pause = ({ isUnreachable, retryAfterSeconds }: NonNullable<RowEnd["slowDown"]>) => {
    const now = monotonicMillis(clock)
    // Requests that were in flight when the pause began end the same way. They do not begin a new pause.
    const isNew = now >= paused
    const own = isNew ? nextPause : 0
    const asked = retryAfterSeconds === undefined ? own : retryAfterSeconds * 1000
    const longest = isUnreachable === true ? longestUnreachableMillis : longestPauseMillis
    if (isUnreachable === true) unreachable = { since: unreachable?.since ?? now, until: now }
    paused = Math.max(paused, now + Math.min(asked, longest))
    allowed = 1
    if (!isNew) return Effect.void
    nextPause = Math.min(nextPause * 2, longestPauseMillis)
    const why = isUnreachable === true ? "no-connection" : "slow-down"
    const until = clock.currentTimeMillisUnsafe() + Math.round(paused - now)
    return emit({ _tag: "Waiting", why, until })
  }

  const rate = messagesPerSecond === undefined ? undefined : makeRate(messagesPerSecond, clock)
  /** Until when the quiet hours are that were announced. */
  let announcedUntil: number | undefined

  /** Whether quiet hours have kept rows waiting since the last one was claimed. */
  let wasQuiet = false

  /** For how long no request may start, in milliseconds; 0 or less if requests may start now. */
  const holdMillis = () => {
    const now = clock.currentTimeMillisUnsafe()
    const until = quietUntil(now)
    if (until !== undefined) wasQuiet = true
    return Math.max(paused - monotonicMillis(clock), (until ?? now) - now)
  }

  /** How many rows may be claimed as soon as no pause and no rate holds them. */
  const wanted = (waiting: number) => Math.max(0, Math.min(waiting, allowed - inFlight))

  return {
    /** Counts and adapts to the end of a request. Returns what says that a new pause begins. */
    end: ({ stored, failure, slowDown }: RowEnd): Effect.Effect<void> => {
      inFlight--
      // A row whose request did not start says nothing about the service.
      const didStart = failure !== undefined || stored.state === "sent"
      if (didStart && slowDown?.isUnreachable !== true) unreachable = undefined
      if (slowDown !== undefined) return pause(slowDown)
      if (stored.state === "sent") {
        allowed = Math.min(concurrency, allowed * 2)
        nextPause = firstPauseMillis
      }
      return Effect.void
    },
    inFlight: () => inFlight,
    /** Whether quiet hours let no request start. */
    isQuiet: () => quietUntil(clock.currentTimeMillisUnsafe()) !== undefined,
    /** Whether no request could connect for so long that a person must know. */
    isUnreachable: () =>
      unreachable !== undefined && unreachable.until - unreachable.since >= patienceMillis,
    /** Counts a request that is in flight from now on. */
    start: () => {
      inFlight++
    },
    /** Returns how many of the rows that wait may be claimed now. */
    take: (waiting: number): number => {
      const rows = holdMillis() > 0 ? 0 : wanted(waiting)
      return rate === undefined || rows === 0 ? rows : rate.take(rows)
    },
    /**
     * Returns in how many milliseconds more rows may be claimed; undefined if only another event allows it. A pause
     * may have ended since rows were taken: then it is 0.
     */
    waitMillis: (waiting: number): number | undefined => {
      if (wanted(waiting) === 0) return undefined
      return Math.max(0, holdMillis(), rate?.waitMillis() ?? 0)
    },
    /** Says that rows are claimed again, if quiet hours kept them waiting. */
    goOn: Effect.suspend(() => {
      if (!wasQuiet) return Effect.void
      wasQuiet = false
      return emit({ _tag: "GoesOn" })
    }),
    /** Says once when quiet hours keep everything waiting. */
    announce: Effect.suspend(() => {
      const until = quietUntil(clock.currentTimeMillisUnsafe())
      if (until === announcedUntil) return Effect.void
      announcedUntil = until
      return until === undefined
        ? Effect.void
        : emit({ _tag: "Waiting", why: "quiet-hours", until })
    })
  }
}
