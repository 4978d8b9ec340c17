/** An earlier send may have gone out. */
import * as Schema from "effect/Schema"

/**
 * An earlier send with this key may have gone out. This call sent nothing.
 *
 * `since` is when the earlier send was claimed, in milliseconds since 1970.
 */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  since: Schema.Finite
}) {
  override get message(): string {
    return `An earlier send with this key may have gone out, so this call sent nothing. Find out whether it arrived, then call resolve with "sent", "rejected" or "resend"`
  }
}
