/** What a job does, with any engine and for any number of deliveries. */
import { Campaign } from "@messaging-topup/campaign"
import { SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"

export interface Job {
  readonly campaign: string
  readonly slice: number
}

/** Returns a job for each slice that is not done. */
export const openJobs = Effect.fnUntraced(function* (campaign: string) {
  const journal = yield* SendJournal
  const slices = yield* journal.openSlices(campaign)
  return slices.map((slice): Job => ({ campaign, slice }))
})

/**
 * Returns whether the slice is over. If it returns false, add a new job: while this worker was frozen, another one may
 * have ended this job, and then a second delivery is lost. If it fails, deliver this job again.
 */
export const deliver = Effect.fnUntraced(
  function* ({ campaign, slice }: Job) {
    const { isDone, stop } = yield* Campaign.runSlice(slice, { messagesPerSecond: 50 })
    if (stop !== undefined) yield* Campaign.pause(campaign)
    return isDone || stop !== undefined
  },
  Effect.catchTags({
    // When somebody resumes the campaign, its open jobs are offered again.
    CampaignStopped: () => Effect.succeed(true),
    SliceNotFound: () => Effect.succeed(true)
  })
)
