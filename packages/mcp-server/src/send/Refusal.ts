/**
 * Refusals: why a tool did not do what it was asked to do.
 *
 * The texts of failures of the service are in `ServiceFailure.ts`, those of all others in `Refusals.ts`.
 */
import type { SendOutcome, SendResult } from "@messaging-topup/core"
import * as Data from "effect/Data"
import type { Name } from "../Options.ts"

/** The outcome of a send that was refused or failed. */
export type FailedOutcome = Exclude<SendOutcome, "sent">

/** What a code means for the outcome of a send. */
export interface Code {
  /** Absent if the code does not concern a send. */
  readonly outcome?: FailedOutcome
  /** Set if the refused call itself may have sent the SMS. */
  readonly maySend?: true
}

export const refusalCodes = {
  invalid_arguments: {
    outcome: "not-sent"
  },
  recipient_not_allowed: { outcome: "not-sent" },
  recipient_unclear: {
    outcome: "not-sent"
  },
  too_many_recipients: {
    outcome: "not-sent"
  },
  too_many_segments: { outcome: "not-sent" },
  too_many_rows: { outcome: "not-sent" },
  rows_refused: {
    outcome: "not-sent"
  },
  unknown_not_resent: { outcome: "unknown" },
  closed_by_person: {
    outcome: "not-sent"
  },
  limit_reached: {
    outcome: "not-sent"
  },
  confirmation_declined: { outcome: "not-sent" },
  confirmation_cancelled: { outcome: "not-sent" },
  confirmation_unasked: {
    outcome: "not-sent"
  },
  confirmation_unavailable: {
    outcome: "not-sent"
  },
  confirmation_failed: {
    outcome: "not-sent"
  },
  approval_invalid: {
    outcome: "not-sent"
  },
  approval_expired: { outcome: "not-sent" },
  approval_mismatch: { outcome: "not-sent" },
  approval_used: {
    outcome: "unknown"
  },
  memory_unavailable: { outcome: "unknown" },
  not_sent_elsewhere: {
    outcome: "not-sent"
  },
  cancelled: { outcome: "not-sent" },
  not_started: { outcome: "not-sent" },
  stopping: {
    outcome: "not-sent"
  },
  send_failed: {
    outcome: "not-sent"
  },
  send_unknown: {
    outcome: "unknown",
    maySend: true
  },
  in_flight: {
    outcome: "unknown",
    maySend: true
  },
  in_flight_elsewhere: {
    outcome: "unknown"
  },
  resend_failed: {
    outcome: "unknown"
  },
  read_failed: {},
  internal_error: {
    outcome: "unknown",
    maySend: true
  }
} as const satisfies Readonly<Record<string, Code>>

type RefusalCode = keyof typeof refusalCodes

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
  /** The option with which the person who runs the server can allow it. */
  readonly option?: Name
  readonly details?: Readonly<Record<string, string | number>>
  /** The service's result for each recipient, if it returned any. */
  readonly results?: ReadonlyArray<SendResult>
}> {
  override get message(): string {
    return `${this.what} ${this.next}`
  }

  /** The outcome of the SMS; unknown if the code says nothing about it. */
  get outcome(): FailedOutcome {
    const { outcome = "unknown" }: Code = refusalCodes[this.code]
    return outcome
  }
}

/** Returns the refusal as data. Reads have no outcome. */
export const factsOf = ({ code, details }: Refusal, isRead: boolean) => {
  const { maySend, outcome }: Code = refusalCodes[code]
  return {
    code,
    ...(isRead || outcome === undefined
      ? {}
      : { outcome, ...(maySend === true ? {} : { sent_by_this_call: false }) }),
    ...details
  }
}
