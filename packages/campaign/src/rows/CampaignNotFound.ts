/**
 * The journal has no campaign of this id.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The journal has no campaign of this id: the id is misspelled, or this is another journal.
 *
 * @since 0.1.0
 */
export class CampaignNotFound extends Schema.TaggedError<CampaignNotFound>()("CampaignNotFound", {
  campaign: Schema.String
}) {
  override get message(): string {
    return `The journal has no campaign ${JSON.stringify(this.campaign)}: check the id, and that this is the right journal`
  }
}
