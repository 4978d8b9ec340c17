/** The campaign is paused or cancelled. */
import * as Schema from "effect/Schema"

const advice = {
  paused: "resume it to send the rest",
  cancelled: "its pending rows were rejected; to send them, load them into another campaign"
} as const

/** The campaign of the slice is paused or cancelled, so no attempt began. Nothing was sent. */
export class CampaignStopped extends Schema.TaggedError<CampaignStopped>()("CampaignStopped", {
  state: Schema.Literals(["paused", "cancelled"])
}) {
  override get message(): string {
    return `The campaign is ${this.state}, and nothing was sent: ${advice[this.state]}`
  }
}
