/** A person decided not to send an SMS. */
import * as Schema from "effect/Schema"

/**
 * A person decided that the earlier send with this key did not go out and is not resent. This call sent
 * nothing.
 */
export class SendRejected extends Schema.TaggedError<SendRejected>()("SendRejected", {}) {
  override get message(): string {
    return "A person decided that the SMS of this key is not sent: to send it anyway, use another key"
  }
}
