/**
 * The errors of every journal operation.
 *
 * @since 0.1.0
 */
import type { JournalLocked } from "./JournalLocked.ts"
import type { JournalUnavailable } from "./JournalUnavailable.ts"

/**
 * The errors of every journal operation. A call that fails with one of them sent nothing.
 *
 * @since 0.1.0
 */
export type JournalError = JournalLocked | JournalUnavailable
