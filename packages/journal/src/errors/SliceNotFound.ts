/** The journal has no slice of this id. */
import * as Schema from "effect/Schema"

/**
 * The journal has no slice of this id: it was pruned, or this is another journal. Nothing was sent.
 */
export class SliceNotFound extends Schema.TaggedError<SliceNotFound>()("SliceNotFound", {
  slice: Schema.Int
}) {
  override get message(): string {
    return `The journal has no slice ${this.slice}, and nothing was sent: check that this is the right journal; if the slice was pruned, it is done`
  }
}
