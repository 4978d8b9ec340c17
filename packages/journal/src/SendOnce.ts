/** `sendOnce`: one send for each key. */
import type { SendSmsError } from "@messaging-topup/core"
import type { JournalError, KeyConflict, OutcomeUnknown, SendClosed } from "./Errors.ts"
import type { SentMessage } from "./Send.ts"

/**
 * The errors of `sendOnce`. A `SendSmsError` comes from this call's own request: `sendOutcome` of core
 * says whether it went out. After every other error, this call sent nothing.
 */
export type SendOnceError = JournalError | KeyConflict | OutcomeUnknown | SendClosed | SendSmsError

/** The result of `sendOnce`: the SMS of the key was sent, by this call or an earlier one. */
export interface SentOnce {
  /** Empty if the service's response could not be read, or if a person decided that it was sent. */
  readonly messages: ReadonlyArray<SentMessage>
  /** Whether an earlier call sent it. If so, this call sent nothing. */
  readonly isEarlier: boolean
}
