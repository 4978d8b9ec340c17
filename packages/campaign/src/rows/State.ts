/** The state of a campaign: read, pause, cancel. */
import {
  CampaignJournal,
  type CampaignState,
  type JournalError,
  type RowCounts
} from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import type { CampaignNotFound } from "./CampaignNotFound.ts"
import { requireFound } from "./Lookup.ts"

/** The state of a campaign, and how many of its rows are in each state. */
export interface CampaignStatus {
  readonly state: CampaignState
  readonly counts: RowCounts
}

/** The state for a person: a campaign has no state for its end, because rows can be added at any time. */
export const shownState = (state: CampaignState, counts: RowCounts): string => {
  const isFinished = state === "running" && counts.pending + counts.attempting === 0
  return isFinished ? "finished" : state
}

/** Returns the status of a campaign. It reads all rows. */
export const status = Effect.fn("Campaign.status")(function* (
  campaign: string
): Effect.fn.Return<CampaignStatus, CampaignNotFound | JournalError, CampaignJournal> {
  const campaigns = yield* CampaignJournal
  const state = yield* requireFound(campaign, yield* campaigns.state(campaign))
  return { state, counts: yield* campaigns.counts(campaign) }
})

const change = (operation: "pause" | "cancel") =>
  Effect.fn(`Campaign.${operation}`)(function* (
    campaign: string
  ): Effect.fn.Return<CampaignState, CampaignNotFound | JournalError, CampaignJournal> {
    const campaigns = yield* CampaignJournal
    return yield* requireFound(campaign, yield* campaigns[operation](campaign))
  })

/**
 * Pauses a campaign in all processes. Requests in flight end; no more start until `resume`. Returns the
 * state: a cancelled campaign stays cancelled.
 */
export const pause = change("pause")

/** Stops a campaign permanently: its pending rows become rejected. Returns the state. */
export const cancel = change("cancel")
