/** The journal has the same key with another input. */
import * as Schema from "effect/Schema"

/**
 * The journal has the key with another input. Nothing was sent, and nothing was stored.
 *
 * `field` is the first field that differs, by its documented name (`recipient`). `index` is the position
 * of the row in the appended rows, from 0. The error contains neither key nor value.
 */
export class RowConflict extends Schema.TaggedError<RowConflict>()("RowConflict", {
  field: Schema.String,
  index: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    const row = this.index === undefined ? "this key" : `the key of row ${this.index}`
    return `The journal has ${row} with another ${this.field}, and nothing was sent: give a different SMS a different key, or repeat the same SMS`
  }
}
