/**
 * A known key came with another input.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The journal knows the key with another input. Nothing was sent, and nothing was stored.
 *
 * `field` is the first field that differs, by its documented name (`recipient`). `index` is the place
 * of the row in what was appended, from 0. Neither key nor value is repeated.
 *
 * @since 0.1.0
 */
export class RowConflict extends Schema.TaggedError<RowConflict>()("RowConflict", {
  field: Schema.String,
  index: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    const row = this.index === undefined ? "this key" : `the key of row ${this.index}`
    return `The journal knows ${row} with another ${this.field}, and nothing was sent: give another SMS another key, or the same SMS as before`
  }
}
