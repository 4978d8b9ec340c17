/**
 * A file of rows cannot be read.
 */
import * as Schema from "effect/Schema"

/**
 * The file of rows, or the rest of it, cannot be read. The error names the file and the line. Of the
 * file's text, it contains only names of columns.
 */
export class InputError extends Schema.TaggedError<InputError>()("InputError", {
  file: Schema.String,
  line: Schema.optionalKey(Schema.Int),
  problem: Schema.String,
  /** Whether another option, header or encoding solves the problem. */
  isUsage: Schema.Boolean
}) {
  override get message(): string {
    const line = this.line === undefined ? "" : `, line ${this.line}`
    return `${this.file}${line}: ${this.problem}`
  }
}
