/**
 * How many requests may be in flight, and when: slow start, and pauses while the service is busy or
 * unavailable.
 */
import type * as Clock from "effect/Clock"
import type { RowEnd } from "./SendRow.ts"

const firstPauseMillis = 1000

/** The longest pause, even if `Retry-After` is longer. */
const longestPauseMillis = 10 * 60_000

/** A service that is not reachable cannot say when it is back, so it is tried once a minute. */
const longestUnreachableMillis = 60_000

/** So long without a connection is no short failure, and a person must know. */
const maxUnreachableMillis = 5 * 60_000

/** Pauses and rates are measured by this clock. The wall clock can be set. */
export const monotonicMillis = (clock: Clock.Clock): number =>
  Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

export const make = (concurrency: number, clock: Clock.Clock) => {
  // The first request shows whether the service accepts anything.
  let allowed = 1
  let inFlight = 0
  let paused = 0
  let nextPause = firstPauseMillis
  let unreachable: { readonly since: number; readonly until: number } | undefined

  const pause = ({ isUnreachable, retryAfterSeconds }: NonNullable<RowEnd["slowDown"]>) => {
    const now = monotonicMillis(clock)
    // Requests that were in flight when the pause began end the same way. They do not begin a new pause.
    const isNew = now >= paused
    const own = isNew ? nextPause : 0
    const wanted = retryAfterSeconds === undefined ? own : retryAfterSeconds * 1000
    const longest = isUnreachable === true ? longestUnreachableMillis : longestPauseMillis
    if (isUnreachable === true) unreachable = { since: unreachable?.since ?? now, until: now }
    paused = Math.max(paused, now + Math.min(wanted, longest))
    allowed = 1
    if (isNew) nextPause = Math.min(nextPause * 2, longestPauseMillis)
    return isNew
  }

  return {
    /** Counts and adapts to the end of a request. Returns whether a new pause begins. */
    end: ({ stored, failure, slowDown }: RowEnd): boolean => {
      inFlight--
      // A row whose request did not start says nothing about the service.
      const didStart = failure !== undefined || stored.outcome === "sent"
      if (didStart && slowDown?.isUnreachable !== true) unreachable = undefined
      if (slowDown !== undefined) return pause(slowDown)
      if (stored.outcome === "sent") {
        allowed = Math.min(concurrency, allowed * 2)
        nextPause = firstPauseMillis
      }
      return false
    },
    inFlight: () => inFlight,
    /** Whether no request could connect for five minutes. */
    isUnreachable: () =>
      unreachable !== undefined && unreachable.until - unreachable.since >= maxUnreachableMillis,
    /** For how long no request may start, in milliseconds; 0 or less if requests may start. */
    pauseMillis: () => paused - monotonicMillis(clock),
    /** How many more requests may start now. */
    room: () => allowed - inFlight,
    /** Counts a request that is in flight from now on. */
    start: () => {
      inFlight++
    }
  }
}

export type Throttle = ReturnType<typeof make>
