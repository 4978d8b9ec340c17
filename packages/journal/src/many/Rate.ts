/** The rate of a campaign, which all its processes share. */
import type { CampaignSends } from "../sends/CampaignSends.ts"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { monotonicMillis } from "./Window.ts"

/** Seconds of the rate that are reserved at once. What is reserved and not used is lost, so it is little. */
const reservedSeconds = 0.1

export const make = (
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
