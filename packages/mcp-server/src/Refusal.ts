/**
 * Why a tool did not do what it was asked: every code, every text.
 *
 * What core's errors mean in words is in `ServiceFailure.ts`.
 */
import * as Data from "effect/Data"
import { bothNames } from "./settings/Options.ts"

/** Every code, and its row in docs/mcp.md: whether the SMS went out, and when the code is used. */
export const refusalCodes = {
  invalid_arguments: {
    wentOut: "no",
    when: "an argument is missing, empty, of the wrong type or unknown"
  },
  recipient_not_allowed: { wentOut: "no", when: "guard 2" },
  too_many_segments: { wentOut: "no", when: "guard 3; with `segments` and `max_segments`" },
  unknown_not_resent: {
    wentOut: "not by this call",
    when: "guard 4: an earlier call of the same SMS is unknown"
  },
  hourly_limit_reached: { wentOut: "no", when: "guard 5; with `retry_after_seconds`" },
  confirmation_declined: { wentOut: "no", when: "the person declined" },
  confirmation_cancelled: { wentOut: "no", when: "the person closed the question" },
  confirmation_unavailable: {
    wentOut: "no",
    when: "a person must be asked and the client cannot ask"
  },
  confirmation_failed: {
    wentOut: "no",
    when: "a legacy client did not show the question to a person"
  },
  approval_invalid: { wentOut: "no", when: "the approval is not one of this server's" },
  approval_expired: { wentOut: "no", when: "the approval came after `--confirm-timeout`" },
  approval_mismatch: { wentOut: "no", when: "the approval was given for other arguments" },
  approval_used: {
    wentOut: "not by this call",
    when: "the approval was used before, and the send that it was used for is forgotten"
  },
  cancelled: {
    wentOut: "no",
    when: "a call that waited for another one, which was cancelled before its request started"
  },
  stopping: { wentOut: "no", when: "the server is shutting down" },
  send_failed: {
    wentOut: "no",
    when: "the service refused it, or was not reached; `send_outcome` is `not_sent`"
  },
  send_unknown: {
    wentOut: "unknown",
    when: "the response was lost, late, or undocumented; `send_outcome` is `unknown`"
  },
  resend_failed: {
    wentOut: "unknown",
    when: "a second send did not go out, and the outcome of the first one is unknown"
  },
  read_failed: { wentOut: "–", when: "a read failed" },
  internal_error: { wentOut: "unknown", when: "a fault of this server; its log names the tool" }
} as const satisfies Readonly<Record<string, { readonly wentOut: string; readonly when: string }>>

export type RefusalCode = keyof typeof refusalCodes

/**
 * A result for the model in our own words: nothing of it comes from the service.
 *
 * `text` says in its first sentence what happened and then what to do next. `code` and `details` say
 * the same to a program; they reach it in `_meta`.
 */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly code: RefusalCode
  readonly text: string
  readonly details?: Readonly<Record<string, string | number>>
}> {
  override get message(): string {
    return this.text
  }
}

export const invalidArguments = (problem: string): Refusal =>
  new Refusal({
    code: "invalid_arguments",
    text: `Nothing was done. Correct the arguments and call again: ${problem}`
  })

export const toolFailed = (isRead: boolean): Refusal =>
  isRead
    ? new Refusal({
        code: "internal_error",
        text: "Nothing was read: the tool failed inside this server. Tell the person; the log of the server names the tool."
      })
    : new Refusal({
        code: "internal_error",
        text: "It is unknown whether the SMS was sent: the tool failed inside this server. Do not send it again. Tell the person; the log of the server may say more.",
        details: { send_outcome: "unknown" }
      })

export const resourceFailed = new Refusal({
  code: "internal_error",
  text: "The resource could not be read: this server failed."
})

export const recipientNotAllowed = new Refusal({
  code: "recipient_not_allowed",
  text: `The SMS was not sent: the recipient is not on the list of allowed recipients of this server. Do not try another spelling or number. The person who runs the server can allow it with ${bothNames("allow-recipients")}.`
})

export const tooManySegments = (segments: number, maxSegments: number): Refusal =>
  new Refusal({
    code: "too_many_segments",
    text: `The SMS was not sent: its text takes ${segments} segments, and this server allows ${maxSegments}. Shorten the text. The person who runs the server can allow more with ${bothNames("max-segments")}.`,
    details: { segments, max_segments: maxSegments }
  })

export const hourlyLimitReached = (maxSendsPerHour: number, retryAfterSeconds: number): Refusal =>
  new Refusal({
    code: "hourly_limit_reached",
    text: `The SMS was not sent: this server sends at most ${maxSendsPerHour} SMS in 60 minutes, and the next one is possible in ${Math.ceil(retryAfterSeconds / 60)} min. Tell the person. The person who runs the server can allow more with ${bothNames("max-sends-per-hour")}.`,
    details: { max_sends_per_hour: maxSendsPerHour, retry_after_seconds: retryAfterSeconds }
  })

export const unknownAdvice =
  "Do not send it again: it may have gone out, and the service has no way to look it up. " +
  "Tell the person. Only when the person accepts that it may arrive twice, call send_sms again with resend_unknown true."

export const unknownNotResent = new Refusal({
  code: "unknown_not_resent",
  text: `The SMS was not sent by this call: an earlier call sent the same SMS to the same recipient, and it is unknown whether that one went out. ${unknownAdvice}`,
  details: { send_outcome: "unknown" }
})

export const confirmationUnavailable = (resend: boolean): Refusal =>
  new Refusal({
    code: "confirmation_unavailable",
    text: resend
      ? "The SMS was not sent: an earlier send of it has an unknown outcome, a second one needs the approval of a person, and this client cannot ask one. Tell the person: a client that supports elicitation can ask."
      : "The SMS was not sent: this server sends only what a person approved, and this client cannot ask one. The person can use a client that supports elicitation, or run the server with --confirm auto."
  })

export const confirmationDeclined = new Refusal({
  code: "confirmation_declined",
  text: "The SMS was not sent: the person declined. Do not call again unless the person asks for it."
})

export const confirmationCancelled = new Refusal({
  code: "confirmation_cancelled",
  text: "The SMS was not sent: the person closed the question without a decision. Ask the person what to do."
})

export const confirmationExpired = new Refusal({
  code: "approval_expired",
  text: "The SMS was not sent: nobody decided in time. Ask the person what to do."
})

/** Without the client's own words, which could be anything. */
export const confirmationFailed = new Refusal({
  code: "confirmation_failed",
  text: "The SMS was not sent: the client did not show the question to a person. Tell the person; the log of the client may say why."
})

const approvalRefused = (
  code: "approval_expired" | "approval_invalid" | "approval_mismatch",
  why: string
) =>
  new Refusal({
    code,
    text: `The SMS was not sent: ${why} Call send_sms again without a state, so that the person is asked again.`
  })

export const approvalExpired = approvalRefused("approval_expired", "the approval came too late.")

export const approvalInvalid = approvalRefused(
  "approval_invalid",
  "the approval is not one that this server asked for."
)

export const approvalMismatch = approvalRefused(
  "approval_mismatch",
  "the approval was given for other arguments."
)

export const approvalUsed = new Refusal({
  code: "approval_used",
  text: "The SMS was not sent by this call: its approval was used before, and the call that used it may have sent the SMS. Do not call again unless the person asks for it."
})

export const cancelled = new Refusal({
  code: "cancelled",
  text: "The SMS was not sent: the call was cancelled before its request started.",
  details: { send_outcome: "not_sent" }
})

export const stopping = new Refusal({
  code: "stopping",
  text: "The SMS was not sent: this server is stopping. Call again when it runs again."
})
