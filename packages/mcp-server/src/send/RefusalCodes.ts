/**
 * The codes of refusals: what each means for the outcome of a send.
 */
import type { SendOutcome } from "@messaging-topup/core"

/** The outcome of a send that was refused or failed. */
export type FailedOutcome = Exclude<SendOutcome, "sent">

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
  recipient_not_allowed: { outcome: "not-sent", when: "guard 2" },
  recipient_unclear: {
    outcome: "not-sent",
    when: "guard 2: the recipient names no number, or may name several"
  },
  too_many_recipients: {
    outcome: "not-sent",
    when: "guard 2: the recipient names several numbers; with `recipients`"
  },
  sender_not_allowed: { outcome: "not-sent", when: "guard 2: `--allow-sender-ids`" },
  webhook_not_allowed: { outcome: "not-sent", when: "guard 2: `--allow-webhook-hosts`" },
  too_many_segments: {
    outcome: "not-sent",
    when: "guard 3; with `segments` and `max_segments`"
  },
  too_many_rows: {
    outcome: "not-sent",
    when: "a batch has more rows than `--max-batch`; with `rows` and `max_batch`"
  },
  rows_refused: {
    outcome: "not-sent",
    when: "guard 2 or 3 refuses rows of a batch, or rows are the same SMS; with `rows` and `rows_refused`"
  },
  unknown_not_resent: {
    outcome: "unknown",
    when: "guard 4: an earlier call of the same SMS is unknown"
  },
  hourly_limit_reached: {
    outcome: "not-sent",
    when: "guard 5; with `max_sends_per_hour`, `limit_of`, and `retry_after_seconds` unless this send alone exceeds the limit"
  },
  daily_limit_reached: {
    outcome: "not-sent",
    when: "guard 5; with `max_segments_per_day`, `limit_of`, and `retry_after_seconds` unless this send alone exceeds the limit"
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
  approval_expired: {
    outcome: "not-sent",
    when: "the approval came after `--confirm-timeout`"
  },
  approval_mismatch: {
    outcome: "not-sent",
    when: "the approval was given for other arguments"
  },
  approval_used: {
    outcome: "unknown",
    when: "this approval was used before, and the outcome of the send that used it is no longer known"
  },
  cancelled: {
    outcome: "not-sent",
    when: "another call was sending the same SMS, this call waited for it, and that call was cancelled before its request started"
  },
  memory_unavailable: {
    outcome: "unknown",
    when: "the state of the guards (`--state`) cannot be read or written"
  },
  not_sent_elsewhere: {
    outcome: "not-sent",
    when: "another process was sending the same SMS, this call waited for it, and that send did not go out"
  },
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

export type RefusalCode = keyof typeof refusalCodes
