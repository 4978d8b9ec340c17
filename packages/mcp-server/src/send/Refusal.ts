/**
 * Refusals: why a tool did not do what it was asked to do.
 *
 * The texts of failures of the service are in `ServiceFailure.ts`, those of all others in `Refusals.ts`.
 */
import type { SendOutcome } from "@messaging-topup/core"
import * as Data from "effect/Data"
import { sentences } from "./Text.ts"

/** What a refusal says to programs. */
export const refusalCodes = [
  "invalid_arguments",
  "recipient_not_allowed",
  "recipient_unclear",
  "too_many_segments",
  "too_many_rows",
  "rows_refused",
  "unknown_not_resent",
  "closed_by_person",
  "limit_reached",
  "confirmation_declined",
  "confirmation_cancelled",
  "confirmation_unasked",
  "confirmation_unavailable",
  "confirmation_on_card",
  "approval_invalid",
  "approval_used",
  "journal_unavailable",
  "not_started",
  "stopping",
  "send_failed",
  "send_unknown",
  "in_flight",
  "in_flight_elsewhere",
  "resend_failed",
  "read_failed",
  "internal_error"
] as const

type RefusalCode = (typeof refusalCodes)[number]

/** After these, the refused call itself may have sent the SMS. */
export const maySend: ReadonlySet<string> = new Set(["send_unknown", "in_flight", "internal_error"])

/** What is known of an SMS that this call did not send. */
const known = {
  sent: "An earlier call sent the same SMS.",
  unknown:
    "It is still unknown whether an earlier send of the same SMS went out: do not send it again without the person.",
  "not-sent": ""
} as const

/**
 * A refusal in our own words: no text of the service is in `what` or `next`.
 *
 * The first sentence of `what` says what happened; `next` says what to do. `code` and `details` say
 * the same to programs.
 */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly code: RefusalCode
  readonly what: string
  /** What is wrong, without what it means for the call: for a row of several. */
  readonly problem?: string | undefined
  readonly next: string
  /** What is known of the SMS. Absent if the call did nothing: then it depends on earlier sends. */
  readonly outcome?: SendOutcome | undefined
  readonly details?: Readonly<Record<string, string | number>> | undefined
  /** Whether all other SMS of the call would fail, too. */
  readonly concernsAll?: boolean | undefined
}> {
  override get message(): string {
    return `${this.what} ${this.next}`
  }

  /** The same refusal of an SMS of which so much is known. */
  about(standing: SendOutcome): Refusal {
    const { code, concernsAll, details, problem, what } = this
    if (this.outcome !== undefined) return this
    // Whoever used the approval may have sent it, and it may no longer count as a repetition.
    const isInDoubt = code === "approval_used" && standing === "not-sent"
    const outcome = isInDoubt ? "unknown" : standing
    const next = sentences(this.next, known[outcome])
    return new Refusal({ code, concernsAll, details, next, outcome, problem, what })
  }
}
