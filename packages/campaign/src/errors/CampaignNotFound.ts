/**
 * The journal does not hold the campaign.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The journal holds no campaign of this id.
 *
 * @since 0.1.0
 */
export class CampaignNotFound extends Schema.TaggedError<CampaignNotFound>()("CampaignNotFound", {
  campaign: Schema.String
}) {
  override get message(): string {
    return `The journal holds no campaign ${JSON.stringify(this.campaign)}: check the id, and that this is the journal that it was loaded into`
  }
}
