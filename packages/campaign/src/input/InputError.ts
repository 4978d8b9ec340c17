/**
 * A file of rows cannot be read on.
 */
import * as Schema from "effect/Schema"

/**
 * No row of the file can be trusted, or none can be read any more. It names the file, the line and the
 * field, and repeats nothing of what stands there, except the names of columns.
 */
export class InputError extends Schema.TaggedError<InputError>()("InputError", {
  file: Schema.String,
  line: Schema.optionalKey(Schema.Int),
  problem: Schema.String,
  /** Whether another option or another header is all that it needs. */
  isUsage: Schema.Boolean
}) {
  override get message(): string {
    const line = this.line === undefined ? "" : `, line ${this.line}`
    return `${this.file}${line}: ${this.problem}`
  }
}
