/**
 * The state of a campaign as a whole.
 *
 * @since 0.1.0
 */
import {
  CampaignJournal,
  type CampaignState,
  type JournalError,
  type RowCounts
} from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import type { CampaignNotFound } from "./errors/CampaignNotFound.ts"
import { known } from "./internal/Known.ts"

/**
 * How many rows of a campaign are in which state, and whether it may be sent.
 *
 * @since 0.1.0
 */
export interface CampaignStatus {
  readonly state: CampaignState
  readonly counts: RowCounts
}

/**
 * The status of a campaign.
 *
 * @since 0.1.0
 */
export const status = Effect.fn("Campaign.status")(function* (
  campaign: string
): Effect.fn.Return<CampaignStatus, CampaignNotFound | JournalError, CampaignJournal> {
  const campaigns = yield* CampaignJournal
  const state = yield* known(campaign, yield* campaigns.state(campaign))
  return { state, counts: yield* campaigns.counts(campaign) }
})

const change = (operation: "pause" | "cancel") =>
  Effect.fn(`Campaign.${operation}`)(function* (
    campaign: string
  ): Effect.fn.Return<CampaignState, CampaignNotFound | JournalError, CampaignJournal> {
    const campaigns = yield* CampaignJournal
    return yield* known(campaign, yield* campaigns[operation](campaign))
  })

/**
 * Stops a campaign in all processes; requests that are under way end. `resume` goes on with it. Returns
 * its state: a cancelled one stays cancelled.
 *
 * @since 0.1.0
 */
export const pause = change("pause")

/**
 * Stops a campaign for ever: what is pending becomes rejected.
 *
 * @since 0.1.0
 */
export const cancel = change("cancel")
