/**
 * Why a tool did not do what it was asked: every code, every text.
 *
 * What core's errors mean in words is in `ServiceFailure.ts`.
 */
import type { SendResult } from "@messaging-topup/core"
import * as Data from "effect/Data"
import { bothNames } from "./settings/Options.ts"

/** What is known of an SMS that was refused. */
export type SendOutcome = "not_sent" | "unknown"

export interface Code {
  /** Absent: the code is about no send. */
  readonly outcome?: SendOutcome
  /** Whether this very call may have sent. */
  readonly maySend?: true
  readonly when: string
}

/** Every code, and its row in docs/mcp.md. */
export const refusalCodes = {
  invalid_arguments: {
    outcome: "not_sent",
    when: "an argument is missing, empty, of the wrong type or unknown"
  },
  recipient_not_allowed: { outcome: "not_sent", when: "guard 2" },
  too_many_recipients: {
    outcome: "not_sent",
    when: "guard 2; with `recipients` and `max_recipients`"
  },
  too_many_segments: {
    outcome: "not_sent",
    when: "guard 3; with `segments` and `max_segments`"
  },
  unknown_not_resent: {
    outcome: "unknown",
    when: "guard 4: an earlier call of the same SMS is unknown, and this one sent nothing"
  },
  hourly_limit_reached: {
    outcome: "not_sent",
    when: "guard 5; with `max_sends_per_hour` and `retry_after_seconds`"
  },
  daily_limit_reached: {
    outcome: "not_sent",
    when: "guard 5; with `max_segments_per_day` and `retry_after_seconds`"
  },
  confirmation_declined: { outcome: "not_sent", when: "the person declined" },
  confirmation_cancelled: { outcome: "not_sent", when: "the person closed the question" },
  confirmation_unavailable: {
    outcome: "not_sent",
    when: "a person must be asked and the client cannot ask"
  },
  confirmation_failed: {
    outcome: "not_sent",
    when: "a legacy client did not show the question to a person"
  },
  approval_invalid: {
    outcome: "not_sent",
    when: "the approval is not one of this server's"
  },
  approval_expired: {
    outcome: "not_sent",
    when: "the approval came after `--confirm-timeout`"
  },
  approval_mismatch: {
    outcome: "not_sent",
    when: "the approval was given for other arguments"
  },
  approval_used: {
    outcome: "unknown",
    when: "the answer to the question was used before; this call sent nothing, and what became of the one that used it is forgotten"
  },
  cancelled: {
    outcome: "not_sent",
    when: "a call that waited for another one, which was cancelled before its request started"
  },
  stopping: { outcome: "not_sent", when: "the server is shutting down" },
  send_failed: {
    outcome: "not_sent",
    when: "the service refused it, or was not reached"
  },
  send_unknown: {
    outcome: "unknown",
    maySend: true,
    when: "the response was lost, late, or undocumented, or names no `message_id`"
  },
  resend_failed: {
    outcome: "unknown",
    when: "a second send did not go out, and the outcome of the first one is unknown"
  },
  read_failed: { when: "a read failed" },
  internal_error: {
    outcome: "unknown",
    maySend: true,
    when: "a fault of this server; its log names the tool"
  }
} as const satisfies Readonly<Record<string, Code>>

export type RefusalCode = keyof typeof refusalCodes

/**
 * A result for the model in our own words: nothing of `what` and `next` comes from the service.
 *
 * `what` says in its first sentence what happened, `next` what to do. `code` and `details` say it to
 * a program.
 */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly code: RefusalCode
  readonly what: string
  readonly next: string
  readonly details?: Readonly<Record<string, string | number>>
  /** What the service said of each recipient, where it did. */
  readonly results?: ReadonlyArray<SendResult>
}> {
  override get message(): string {
    return `${this.what} ${this.next}`
  }
}

/** The refusal as data. Reads have no outcome. */
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

export const invalidArguments = (problem: string): Refusal =>
  new Refusal({
    code: "invalid_arguments",
    what: `Nothing was done: ${problem}.`,
    next: "Correct the arguments and call again."
  })

export const toolFailed = (isRead: boolean): Refusal =>
  isRead
    ? new Refusal({
        code: "internal_error",
        what: "Nothing was read: the tool failed inside this server.",
        next: "Tell the person; the log of the server names the tool."
      })
    : new Refusal({
        code: "internal_error",
        what: "It is unknown whether the SMS was sent: the tool failed inside this server.",
        next: "Do not send it again. Tell the person; the log of the server may say more."
      })

export const resourceFailed = new Refusal({
  code: "internal_error",
  what: "The resource could not be read: this server failed.",
  next: "Tell the person."
})

/** Who can change a limit, and how. */
const operatorAllows = (name: Parameters<typeof bothNames>[0]): string =>
  `The person who runs the server can allow more with ${bothNames(name)}.`

export const recipientNotAllowed = new Refusal({
  code: "recipient_not_allowed",
  what: "The SMS was not sent: the recipient is not on the list of allowed recipients of this server.",
  next: `Do not try another spelling or number. The person who runs the server can allow it with ${bothNames("allow-recipients")}.`
})

export const tooManyRecipients = (recipients: number, maxRecipients: number): Refusal =>
  new Refusal({
    code: "too_many_recipients",
    what: `The SMS was not sent: its recipient names ${recipients} numbers, and this server allows ${maxRecipients} in one call.`,
    next: `Call once for each number that the person asked for. ${operatorAllows("max-recipients")}`,
    details: { recipients, max_recipients: maxRecipients }
  })

export const tooManySegments = (segments: number, maxSegments: number): Refusal =>
  new Refusal({
    code: "too_many_segments",
    what: `The SMS was not sent: its text takes ${segments} segments, and this server allows ${maxSegments}.`,
    next: `Shorten the text with the person. ${operatorAllows("max-segments")}`,
    details: { segments, max_segments: maxSegments }
  })

const minutes = (seconds: number): string => `${Math.ceil(seconds / 60)} min`

export const hourlyLimitReached = (maxSendsPerHour: number, retryAfterSeconds: number): Refusal =>
  new Refusal({
    code: "hourly_limit_reached",
    what: `The SMS was not sent: at most ${maxSendsPerHour} SMS go out in 60 minutes, and the next one is possible in ${minutes(retryAfterSeconds)}.`,
    next: `Tell the person. ${operatorAllows("max-sends-per-hour")}`,
    details: { max_sends_per_hour: maxSendsPerHour, retry_after_seconds: retryAfterSeconds }
  })

export const dailyLimitReached = (maxSegmentsPerDay: number, retryAfterSeconds: number): Refusal =>
  new Refusal({
    code: "daily_limit_reached",
    what: `The SMS was not sent: at most ${maxSegmentsPerDay} segments go out in 24 hours, and this text has room in ${minutes(retryAfterSeconds)}.`,
    next: `Tell the person. ${operatorAllows("max-segments-per-day")}`,
    details: { max_segments_per_day: maxSegmentsPerDay, retry_after_seconds: retryAfterSeconds }
  })

/** What to do with an SMS of unknown outcome, where a person can be asked and where not. */
export const unknownAdvice = (canBeAsked: boolean): string =>
  "Do not send it again: it may have gone out, and the service has no way to look it up. Tell the person. " +
  (canBeAsked
    ? "Only when the person accepts that it may arrive twice, call send_sms again with resend_unknown true: they are asked to approve it."
    : "A second send needs the approval of a person, and this client cannot ask one: a client that supports elicitation can.")

export const unknownNotResent = (canBeAsked: boolean): Refusal =>
  new Refusal({
    code: "unknown_not_resent",
    what: "The SMS was not sent by this call: an earlier call sent the same SMS to the same recipient, and it is unknown whether that one went out.",
    next: unknownAdvice(canBeAsked)
  })

/** Why a send may only go out after a person's approval. */
export type SendKind =
  | "first"
  /** A second send of an SMS whose first send is unknown. */
  | "resend"
  /** A second copy of an SMS that went out. */
  | "copy"

const unavailable = {
  first: {
    what: "The SMS was not sent: this server sends only what a person approved, and this client cannot ask one.",
    next: "The person can use a client that supports elicitation, or run the server with --confirm auto."
  },
  resend: {
    what: "The SMS was not sent: an earlier send of it has an unknown outcome, a second one needs the approval of a person, and this client cannot ask one.",
    next: "Tell the person: a client that supports elicitation can ask."
  },
  copy: {
    what: "The SMS was not sent: a second copy needs the approval of a person, and this client cannot ask one.",
    next: `Tell the person: a client that supports elicitation can ask, and when the duplicate window is over, the same call without send_again sends it. The person who runs the server sets the window with ${bothNames("duplicate-window")}.`
  }
} as const satisfies Readonly<Record<SendKind, unknown>>

export const confirmationUnavailable = (kind: SendKind): Refusal =>
  new Refusal({ code: "confirmation_unavailable", ...unavailable[kind] })

export const confirmationDeclined = new Refusal({
  code: "confirmation_declined",
  what: "The SMS was not sent: the person declined.",
  next: "Do not call again unless the person asks for it."
})

export const confirmationCancelled = new Refusal({
  code: "confirmation_cancelled",
  what: "The SMS was not sent: the person closed the question without a decision.",
  next: "Ask the person what to do."
})

export const confirmationExpired = new Refusal({
  code: "approval_expired",
  what: "The SMS was not sent: nobody decided in time.",
  next: "Ask the person what to do."
})

/** Without the client's own words, which could be anything. */
export const confirmationFailed = new Refusal({
  code: "confirmation_failed",
  what: "The SMS was not sent: the client did not show the question to a person.",
  next: "Tell the person; the log of the client may say why."
})

const approvalRefused = (
  code: "approval_expired" | "approval_invalid" | "approval_mismatch",
  why: string
) =>
  new Refusal({
    code,
    what: `The SMS was not sent: ${why}`,
    next: "Call send_sms again without a state, so that the person is asked again."
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
  what: "The SMS was not sent by this call: its approval was used before, and the call that used it may have sent the SMS.",
  next: "Do not call again unless the person asks for it."
})

/** A no that comes after the question was answered: the answer before may have been a yes. */
export const refusalUsed = new Refusal({
  code: "approval_used",
  what: "The SMS was not sent by this call: the person said no. The question was answered before, and if that answer was a yes, the SMS may have gone out then.",
  next: "Tell the person, and do not call again unless they ask for it."
})

export const cancelled = new Refusal({
  code: "cancelled",
  what: "The SMS was not sent: the call was cancelled before its request started.",
  next: "Call again if the person still wants it."
})

export const stopping = new Refusal({
  code: "stopping",
  what: "The SMS was not sent: this server is stopping.",
  next: "Call again when it runs again."
})
