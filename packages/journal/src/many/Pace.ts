/** How many rows may be claimed now: by the requests in flight, pauses, quiet hours and the campaign's rate. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { SendManyEvent } from "../model/Campaign.ts"
import type { Settings } from "./Settings.ts"
import { monotonicMillis, type Throttle } from "./Throttle.ts"

/** How far the rate may get behind and still catch up: a write of many rows takes that long. */
const catchUpMillis = 100

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
  { messagesPerSecond, quietUntil }: Settings,
  throttle: Throttle,
  clock: Clock.Clock,
  emit: (event: SendManyEvent) => Effect.Effect<void>
) => {
  const rate = messagesPerSecond === undefined ? undefined : makeRate(messagesPerSecond, clock)
  /** Until when the quiet hours are that were announced. */
  let announcedUntil: number | undefined

  /** For how long no request may start, in milliseconds; 0 or less if requests may start now. */
  const holdMillis = () => {
    const now = clock.currentTimeMillisUnsafe()
    return Math.max(throttle.pauseMillis(), (quietUntil(now) ?? now) - now)
  }

  /** How many rows the rate would have to allow. */
  const wanted = (waiting: number) =>
    holdMillis() > 0 ? 0 : Math.max(0, Math.min(waiting, throttle.room()))

  return {
    /** Returns how many of the rows that wait may be claimed now. */
    take: (waiting: number): number => {
      const rows = wanted(waiting)
      return rate === undefined || rows === 0 ? rows : rate.take(rows)
    },
    /** Returns in how many milliseconds more rows may be claimed; 0 if only another event allows it. */
    waitMillis: (waiting: number): number => {
      if (waiting === 0) return 0
      if (rate !== undefined && wanted(waiting) > 0) return rate.waitMillis()
      return Math.max(0, holdMillis())
    },
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
