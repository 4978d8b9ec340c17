/**
 * The journal could not be read or written.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * Why the journal is not available.
 *
 * @since 0.1.0
 */
export const JournalProblem = Schema.Literals([
  "unreachable",
  "full",
  "read-only",
  "corrupt",
  "replaced",
  "newer",
  "other"
])

/**
 * Why the journal is not available.
 *
 * @since 0.1.0
 */
export type JournalProblem = typeof JournalProblem.Type

const advice: Readonly<Record<JournalProblem, string>> = {
  unreachable: "check that the database runs and that its address, folder and rights are right",
  full: "the disk is full: make room",
  "read-only": "it may not be written: give this user the right to write it",
  corrupt: "it is not a journal, or damaged: restore a backup, or give another file",
  replaced:
    "its file was removed or replaced while it was in use: put it back, or start again without what it knew",
  newer: "a newer version of this package wrote it: update this one",
  other: "look the code up in the database's manual"
}

/**
 * The journal could not be read or written. The call that failed sent nothing.
 *
 * `code` is the reason as the database names it (`SQLITE_FULL`, `57P01`), if it names one. The words of
 * the database are left out: they can repeat what was to be stored.
 *
 * @since 0.1.0
 */
export class JournalUnavailable extends Schema.TaggedError<JournalUnavailable>()(
  "JournalUnavailable",
  { problem: JournalProblem, code: Schema.optionalKey(Schema.String) }
) {
  override get message(): string {
    const code = this.code === undefined ? "" : ` (${this.code})`
    return `The journal is not available${code}: ${advice[this.problem]}`
  }
}
