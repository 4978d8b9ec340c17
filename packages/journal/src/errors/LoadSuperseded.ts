/** Another load of the campaign has begun. */
import * as Schema from "effect/Schema"

/**
 * Another load of the campaign has begun, or this one has ended. The rows that this load wrote are gone,
 * and nothing was sent.
 */
export class LoadSuperseded extends Schema.TaggedError<LoadSuperseded>()("LoadSuperseded", {
  campaign: Schema.String
}) {
  override get message(): string {
    return `Another load of the campaign ${JSON.stringify(this.campaign)} has begun: load from one process at a time`
  }
}
