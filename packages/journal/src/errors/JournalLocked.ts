/** Another process holds the lock of the journal. */
import * as Schema from "effect/Schema"

/**
 * Another process held the lock of the journal for longer than `waitedSeconds`. The call that failed
 * sent nothing.
 */
export class JournalLocked extends Schema.TaggedError<JournalLocked>()("JournalLocked", {
  waitedSeconds: Schema.Finite
}) {
  override get message(): string {
    return `Another process held the journal for ${this.waitedSeconds} s: call again; if the error stays, find the process that hangs in a transaction and end it`
  }
}
