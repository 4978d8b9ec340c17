/** What a job does, whatever delivers it, and however often. */
import { Campaign } from "@messaging-topup/campaign"
import { SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"

export interface Job {
  readonly campaign: string
  readonly slice: number
}

/** The jobs that a campaign still needs. */
export const openJobs = Effect.fnUntraced(function* (campaign: string) {
  const journal = yield* SendJournal
  const slices = yield* journal.openSlices(campaign)
  return slices.map((slice): Job => ({ campaign, slice }))
})

/** Returns whether the job is over. If it is not, or if this fails, deliver it again. */
export const deliver = Effect.fnUntraced(
  function* ({ campaign, slice }: Job) {
    const { isDone, stop } = yield* Campaign.runSlice(slice, { messagesPerSecond: 50 })
    if (stop !== undefined) yield* Campaign.pause(campaign)
    return isDone || stop !== undefined
  },
  Effect.catchTags({
    // A resume of the campaign offers its open jobs again.
    CampaignStopped: () => Effect.succeed(true),
    SliceNotFound: () => Effect.succeed(true)
  })
)
