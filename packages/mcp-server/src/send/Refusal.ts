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
  /** The text of its row in docs/mcp-reference.md. */
  readonly when: string
}

export const refusalCodes = {
  invalid_arguments: {
    outcome: "not-sent",
    when: "an argument is missing, empty, of the wrong type or unknown"
  },
  recipient_not_allowed: { outcome: "not-sent", when: "`--allow-recipients`" },
  recipient_unclear: {
    outcome: "not-sent",
    when: "the recipient names no number, or may name several"
  },
  too_many_recipients: {
    outcome: "not-sent",
    when: "the recipient names several numbers; with `recipients`"
  },
  too_many_segments: { outcome: "not-sent", when: "with `segments` and `max_segments`" },
  too_many_rows: { outcome: "not-sent", when: "with `total` and `max_batch`" },
  rows_refused: {
    outcome: "not-sent",
    when: "rows of a batch cannot be sent, or are the same SMS; with `total` and `rows_refused`"
  },
  unknown_not_resent: { outcome: "unknown", when: "an earlier send of the same SMS is unknown" },
  closed_by_person: {
    outcome: "not-sent",
    when: "the operator decided that an earlier send did not go out, and that nothing sends it"
  },
  limit_reached: {
    outcome: "not-sent",
    when: "with `limit`, `limit_of`, and `retry_after_seconds` unless this call alone exceeds the limit"
  },
  confirmation_declined: { outcome: "not-sent", when: "the person declined" },
  confirmation_cancelled: { outcome: "not-sent", when: "the person closed the question" },
  confirmation_unasked: {
    outcome: "not-sent",
    when: "the client declined by itself, faster than a person can read"
  },
  confirmation_unavailable: {
    outcome: "not-sent",
    when: "a person must be asked, and the client cannot ask or approved by itself"
  },
  confirmation_failed: {
    outcome: "not-sent",
    when: "a legacy client did not show the question to a person"
  },
  approval_invalid: {
    outcome: "not-sent",
    when: "neither this server nor a replica with its key issued the approval to this caller"
  },
  approval_expired: { outcome: "not-sent", when: "nobody decided within 10 minutes" },
  approval_mismatch: { outcome: "not-sent", when: "the approval was given for other arguments" },
  approval_used: {
    outcome: "unknown",
    when: "this approval was used before, and the outcome of the send that used it is no longer known"
  },
  memory_unavailable: { outcome: "unknown", when: "`--state` cannot be read or written" },
  not_sent_elsewhere: {
    outcome: "not-sent",
    when: "another call was sending the same SMS, and it did not go out"
  },
  cancelled: { outcome: "not-sent", when: "the call was cancelled before the request started" },
  not_started: { outcome: "not-sent", when: "the batch ended before the row's turn" },
  stopping: {
    outcome: "not-sent",
    when: "the server is shutting down, or was suspended too long before the request started"
  },
  send_failed: {
    outcome: "not-sent",
    when: "the service refused the request, or could not be reached"
  },
  send_unknown: {
    outcome: "unknown",
    maySend: true,
    when: "the response was lost, late or undocumented"
  },
  in_flight: {
    outcome: "unknown",
    maySend: true,
    when: "its request had not ended after 50 seconds; it goes on"
  },
  in_flight_elsewhere: {
    outcome: "unknown",
    when: "another call was sending the same SMS and has not ended, or its process was killed"
  },
  resend_failed: {
    outcome: "unknown",
    when: "a second send did not go out, and the outcome of the first send is still unknown"
  },
  read_failed: { when: "a read failed" },
  internal_error: {
    outcome: "unknown",
    maySend: true,
    when: "this server failed; its log names the tool"
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
