/** The journal could not be read or written. */
import * as Schema from "effect/Schema"

/** Why the journal is not available. */
export const JournalProblem = Schema.Literals([
  "unreachable",
  "driver-missing",
  "full",
  "read-only",
  "corrupt",
  "replaced",
  "incomplete",
  "older",
  "newer",
  "other"
])

/** Why the journal is not available. */
export type JournalProblem = typeof JournalProblem.Type

const advice: Readonly<Record<JournalProblem, string>> = {
  unreachable:
    "check that the database runs, that its address or folder is correct, and that this user may use it",
  "driver-missing": "PostgreSQL needs the package @effect/sql-pg: npm install @effect/sql-pg",
  full: "the disk is full: free some space",
  "read-only": "it cannot be written: give this user the right to write it",
  corrupt: "it is damaged, or not a journal: restore a backup, or use another file or database",
  replaced:
    "its file, or the -wal file beside it, was removed or replaced while it was in use: put the file back; an empty journal does not know what was sent before, and can send it again",
  incomplete:
    "its -wal file is missing, which has the newest sends: put it beside the file again, or restore a backup; without it, what was sent can be sent again (docs/campaigns.md says how to open it nevertheless)",
  older:
    "a version before the first release wrote it, and this one cannot read it: use another file or database, and keep this one, because it knows what was sent",
  newer: "a newer version of this package wrote it: update this package",
  other: "look up the code in the database's manual"
}

/**
 * The journal could not be read or written. The call that failed sent nothing.
 *
 * `code` is the database's error code (`SQLITE_FULL`, `57P01`), if it gave one. The database's error text
 * is left out, because it can contain the values to store.
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
