/** The errors of a running sandbox. */
import * as Data from "effect/Data"

/** No message has this id: it was never assigned, or its message was deleted to keep newer ones. */
export class UnknownMessage extends Data.TaggedError("UnknownMessage")<{
  readonly message_id: string
}> {
  override get message(): string {
    return "The sandbox has no message with this id: it was cleared, or newer messages replaced it"
  }
}

/** A program passed something invalid. */
export class InvalidInput extends Data.TaggedError("InvalidInput")<{ readonly problem: string }> {
  override get message(): string {
    return this.problem
  }
}
