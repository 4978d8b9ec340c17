/** The journal has no campaign of this id. */
import * as Schema from "effect/Schema"

/** The journal has no campaign of this id: the id is misspelled, or this is another journal. */
export class CampaignNotFound extends Schema.TaggedError<CampaignNotFound>()("CampaignNotFound", {
  campaign: Schema.String
}) {
  override get message(): string {
    return `The journal has no campaign ${JSON.stringify(this.campaign)}: check the id, and that this is the right journal`
  }
}
