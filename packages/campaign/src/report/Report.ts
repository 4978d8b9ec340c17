/**
 * The report of a campaign: a page for people.
 *
 * @since 0.1.0
 */
import { CampaignJournal, type JournalError, SendJournal } from "@messaging-topup/journal"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CampaignNotFound } from "../errors/CampaignNotFound.ts"
import { known } from "../internal/Known.ts"
import * as Summary from "./Summary.ts"

/**
 * What a report shows beside its figures.
 *
 * @since 0.1.0
 */
export interface ReportOptions {
  /** Whether the recipients of rows of unknown outcome are listed. Default: no. */
  readonly showRecipients?: boolean
}

/**
 * The report of a campaign as one page of HTML: counts, sends over time, failures by reason, statuses in
 * the service's own words, and the rows of unknown outcome with what can be done about them. It opens
 * from a file, asks nothing of any network and runs no script. Each row is read once, and memory does not
 * grow with their number; the figures of a campaign that is being sent are those of the moments at which
 * its rows were read.
 *
 * It has no phone number and no text unless `showRecipients` is set; keys are shown as they are.
 *
 * @since 0.1.0
 */
export const report = Effect.fn("Campaign.report")(function* (
  campaign: string,
  { showRecipients = false }: ReportOptions = {}
): Effect.fn.Return<string, CampaignNotFound | JournalError, CampaignJournal | SendJournal> {
  const { slices, rows } = yield* SendJournal
  const campaigns = yield* CampaignJournal
  const state = yield* known(campaign, yield* campaigns.state(campaign))
  const { add, summary } = Summary.make(showRecipients)
  for (const slice of yield* slices(campaign)) {
    for (const row of yield* rows(slice)) add(row)
  }
  // Only who wants a page loads what draws it.
  const { page } = yield* Effect.promise(() => import("./Page.ts"))
  const madeAt = yield* Clock.currentTimeMillis
  return page({ campaign, state, madeAt, showRecipients, summary: summary() })
})
