/** The rows of the campaign are not completely in the journal. */
import * as Schema from "effect/Schema"

/**
 * A load of the campaign has begun and not ended, so nothing was sent: another process is still reading
 * the rows, or it was killed.
 */
export class CampaignLoading extends Schema.TaggedError<CampaignLoading>()("CampaignLoading", {
  campaign: Schema.String
}) {
  override get message(): string {
    return `The rows of the campaign ${JSON.stringify(this.campaign)} are not all in the journal, and nothing was sent: if no process is loading them, run it again with its rows`
  }
}
