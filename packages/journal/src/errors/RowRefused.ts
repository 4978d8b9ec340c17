/** A row cannot be stored. */
import * as Schema from "effect/Schema"

/**
 * A row cannot be stored. Nothing was sent, and nothing of the call was stored.
 *
 * `index` is the position of the row in the appended rows, from 0. `field` is the documented name of the
 * field, or `key`. `problem` says what was expected. Neither repeats the value.
 */
export class RowRefused extends Schema.TaggedError<RowRefused>()("RowRefused", {
  index: Schema.Int,
  field: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `Nothing was stored. ${this.field} of row ${this.index}: ${this.problem}`
  }
}
