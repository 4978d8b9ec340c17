/** The errors of every journal operation. */
import type { JournalLocked } from "./JournalLocked.ts"
import type { JournalUnavailable } from "./JournalUnavailable.ts"

/** The errors of every journal operation. A call that fails with one of them sent nothing. */
export type JournalError = JournalLocked | JournalUnavailable
