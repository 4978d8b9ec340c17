/** The report of a campaign: a page of HTML for people. */
import { InvalidInput } from "@messaging-topup/core"
import { CampaignJournal, type JournalError, SendJournal } from "@messaging-topup/journal"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CampaignNotFound } from "../rows/CampaignNotFound.ts"
import { requireFound } from "../rows/Lookup.ts"
import * as Summary from "./Summary.ts"

/** The options of `report`. */
export interface ReportOptions {
  /** Whether to list the recipients of rows of unknown outcome. Default: false. */
  readonly showRecipients?: boolean
  /**
   * The time zone of the page, a name of the IANA database such as `Africa/Nairobi`. Default: UTC. Each
   * time has its offset.
   */
  readonly timeZone?: string
}

/**
 * Returns the report of a campaign as one page of HTML: counts, sends over time, failures by reason, the
 * service's statuses, and the rows of unknown outcome with advice on what to do about them. The page
 * opens from a file, makes no network request and runs no script.
 *
 * Each row is read once, and memory does not grow with the number of rows. While a campaign is being
 * sent, each row is counted in the state it had when it was read.
 *
 * The page has no SMS text. It has phone numbers only if `showRecipients` is set, and then only those of
 * unknown rows. Keys are shown in plain text.
 */
export const report = Effect.fn("Campaign.report")(function* (
  campaign: string,
  { showRecipients = false, timeZone = "UTC" }: ReportOptions = {}
): Effect.fn.Return<
  string,
  CampaignNotFound | InvalidInput | JournalError,
  CampaignJournal | SendJournal
> {
  const zone = Option.getOrUndefined(DateTime.zoneMakeNamed(timeZone))
  if (zone === undefined) {
    return yield* Effect.fail(
      new InvalidInput({
        operation: "report",
        field: "timeZone",
        problem: "it must be a name of the IANA database, such as Europe/Paris"
      })
    )
  }
  const { slices, rows } = yield* SendJournal
  const campaigns = yield* CampaignJournal
  const state = yield* requireFound(campaign, yield* campaigns.state(campaign))
  const { add, summary } = Summary.make(showRecipients, zone)
  for (const slice of yield* slices(campaign)) {
    for (const row of yield* rows(slice)) add(row)
  }
  // Loaded here, so that programs without a report do not load the code that draws it.
  const { page } = yield* Effect.promise(() => import("./Page.ts"))
  const madeAt = yield* Clock.currentTimeMillis
  return page({ campaign, state, madeAt, showRecipients, summary: summary() })
})
