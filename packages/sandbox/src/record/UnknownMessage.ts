/** The sandbox has no such message. */
import * as Schema from "effect/Schema"

/**
 * No message has this id. The id was never assigned, or its message was cleared or replaced by
 * newer ones.
 */
export class UnknownMessage extends Schema.TaggedError<UnknownMessage>()("UnknownMessage", {
  message_id: Schema.String
}) {
  override get message(): string {
    return `The sandbox has no message with the id ${this.message_id}: it was cleared, or newer messages replaced it`
  }
}
