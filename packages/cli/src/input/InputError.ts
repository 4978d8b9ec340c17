/** A file of rows cannot be read. */
import * as Data from "effect/Data"

/**
 * The file of rows, or the rest of it, cannot be read. The error names the file and the line. Of the
 * file's text, it contains only names of columns.
 */
export class InputError extends Data.TaggedError("InputError")<{
  readonly file: string
  readonly line?: number
  readonly problems: ReadonlyArray<string>
  /** Whether another option, header or encoding solves the problem. */
  readonly isUsage: boolean
}> {
  override get message(): string {
    const line = this.line === undefined ? "" : `, line ${this.line}`
    return this.problems.map((problem) => `${this.file}${line}: ${problem}`).join("\n")
  }
}
