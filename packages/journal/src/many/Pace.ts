/** How many rows may be claimed now: by the requests in flight, pauses, quiet hours and the campaign's rate. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { SendManyEvent } from "../model/Campaign.ts"
import type { CampaignSends } from "../sends/Campaigns.ts"
import type { Settings } from "./Settings.ts"
import { waitForJournal } from "./WaitForJournal.ts"
import { monotonicMillis, type Window } from "./Window.ts"

/** Seconds of the rate that are reserved at once. What is reserved and not used is lost, so it is little. */
const reservedSeconds = 0.1

/** The rate of a campaign, which all its processes share. */
const makeRate = (
  { reserve }: CampaignSends,
  campaign: string,
  perSecond: number,
  clock: Clock.Clock
) => {
  const atOnce = Math.max(1, Math.floor(perSecond * reservedSeconds))
  let count = 0
  /** When the reserved rows may be claimed, or the next reservation made. */
  let at = 0
  return {
    /** Returns how many of the wanted rows may be claimed now. */
    take: Effect.fnUntraced(function* (wanted: number) {
      if (count === 0 && monotonicMillis(clock) >= at) {
        const amount = Math.min(wanted, atOnce)
        const { isGranted, waitMillis } = yield* reserve({ name: campaign, amount, perSecond })
        if (isGranted) count = amount
        at = monotonicMillis(clock) + waitMillis
      }
      if (at > monotonicMillis(clock)) return 0
      const taken = Math.min(count, wanted)
      count -= taken
      return taken
    }),
    /** How long it takes until more rows may be claimed, in milliseconds. */
    waitMillis: () => Math.max(1, at - monotonicMillis(clock))
  }
}

export const make = (
  campaigns: CampaignSends,
  { campaign, messagesPerSecond, quietUntil }: Settings,
  window: Window,
  clock: Clock.Clock,
  emit: (event: SendManyEvent) => Effect.Effect<void>
) => {
  const rate =
    messagesPerSecond === undefined
      ? undefined
      : makeRate(campaigns, campaign, messagesPerSecond, clock)
  /** Until when the quiet hours are that were announced. */
  let announcedUntil: number | undefined

  /** For how long no request may start, in milliseconds; 0 or less if requests may start now. */
  const holdMillis = () => {
    const now = clock.currentTimeMillisUnsafe()
    return Math.max(window.pauseMillis(), (quietUntil(now) ?? now) - now)
  }

  /** How many rows the rate would have to allow. */
  const wanted = (waiting: number) =>
    holdMillis() > 0 ? 0 : Math.max(0, Math.min(waiting, window.room()))

  return {
    /** Returns how many of the rows that wait may be claimed now. */
    take: (waiting: number) =>
      Effect.suspend(() => {
        const rows = wanted(waiting)
        return rate === undefined || rows === 0
          ? Effect.succeed(rows)
          : waitForJournal(rate.take(rows), emit)
      }),
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
