/**
 * Refusals: why a tool did not do what it was asked to do.
 *
 * The texts of failures of the service are in `ServiceFailure.ts`, those of all others in `Refusals.ts`.
 */
import type { SendOutcome } from "@messaging-topup/core"
import * as Data from "effect/Data"

/** The outcome of a send that was refused or failed. */
export type FailedOutcome = Exclude<SendOutcome, "sent">

/** The outcome of the send by code. A failed read has none. */
export const refusalCodes = {
  invalid_arguments: "not-sent",
  recipient_not_allowed: "not-sent",
  recipient_unclear: "not-sent",
  too_many_segments: "not-sent",
  too_many_rows: "not-sent",
  rows_refused: "not-sent",
  unknown_not_resent: "unknown",
  closed_by_person: "not-sent",
  limit_reached: "not-sent",
  confirmation_declined: "not-sent",
  confirmation_cancelled: "not-sent",
  confirmation_unasked: "not-sent",
  confirmation_unavailable: "not-sent",
  approval_invalid: "not-sent",
  approval_used: "unknown",
  memory_unavailable: "unknown",
  not_started: "not-sent",
  stopping: "not-sent",
  send_failed: "not-sent",
  send_unknown: "unknown",
  in_flight: "unknown",
  in_flight_elsewhere: "unknown",
  resend_failed: "unknown",
  read_failed: undefined,
  internal_error: "unknown"
} as const satisfies Readonly<Record<string, FailedOutcome | undefined>>

type RefusalCode = keyof typeof refusalCodes

/** After these, the refused call itself may have sent the SMS. */
export const maySend: ReadonlySet<string> = new Set(["send_unknown", "in_flight", "internal_error"])

/**
 * A refusal in our own words: no text of the service is in `what` or `next`.
 *
 * The first sentence of `what` says what happened; `next` says what to do. `code` and `details` say
 * the same to programs.
 */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly code: RefusalCode
  readonly what: string
  readonly next: string
  readonly details?: Readonly<Record<string, string | number>>
  /** Whether all other SMS of the call would fail, too. */
  readonly concernsAll?: boolean
}> {
  override get message(): string {
    return `${this.what} ${this.next}`
  }

  /** The outcome of the SMS; unknown if the code says nothing about it. */
  get outcome(): FailedOutcome {
    return refusalCodes[this.code] ?? "unknown"
  }
}
