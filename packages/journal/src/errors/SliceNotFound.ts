/**
 * The journal does not hold a slice.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The journal holds no slice of this id: it was pruned, or this is another journal. Nothing was sent.
 *
 * @since 0.1.0
 */
export class SliceNotFound extends Schema.TaggedError<SliceNotFound>()("SliceNotFound", {
  slice: Schema.Int
}) {
  override get message(): string {
    return `The journal holds no slice ${this.slice}, and nothing was sent: check that this is the journal that it was appended to; a pruned slice is done`
  }
}
