/**
 * Refusals: every text that says why a tool did not do what it was asked to do.
 *
 * The texts for failures of the service are in `ServiceFailure.ts`.
 */
import type { SendResult } from "@messaging-topup/core"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import type { SendKind, SendLimit, SentOutcome } from "./send/Claim.ts"
import { type Code, type RefusalCode, refusalCodes } from "./RefusalCodes.ts"
import { bothNames, type Name } from "./settings/Options.ts"

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
  /** The service's result for each recipient, if it returned any. */
  readonly results?: ReadonlyArray<SendResult>
}> {
  override get message(): string {
    return `${this.what} ${this.next}`
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

/** Says who can raise a limit, and with which option. */
const operatorAllows = (option: Name): string =>
  `The person who runs the server can allow more with ${bothNames(option)}.`

export const recipientNotAllowed = (option: Name): Refusal =>
  new Refusal({
    code: "recipient_not_allowed",
    what: "The SMS was not sent: the recipient is not on the list of allowed recipients of this server.",
    next: `Do not try another spelling or number. The person who runs the server can allow it with ${bothNames(option)}.`
  })

export const recipientUnclear = new Refusal({
  code: "recipient_unclear",
  what: "The SMS was not sent: its recipient names no number, or may name several.",
  next: "Call with one number in digits, without blanks, as the person gave it."
})

export const tooManyRecipients = (
  recipients: number,
  maxRecipients: number,
  option: Name
): Refusal =>
  new Refusal({
    code: "too_many_recipients",
    what: `The SMS was not sent: its recipient names ${recipients} numbers, and this server allows ${maxRecipients} in one call.`,
    next: `Call once for each number that the person asked for. ${operatorAllows(option)}`,
    details: { recipients, max_recipients: maxRecipients }
  })

export const tooManySegments = (segments: number, maxSegments: number, option: Name): Refusal =>
  new Refusal({
    code: "too_many_segments",
    what: `The SMS was not sent: its text takes ${segments} segments, and this server allows ${maxSegments}.`,
    next: `Shorten the text with the person. ${operatorAllows(option)}`,
    details: { segments, max_segments: maxSegments }
  })

/** Formats a time as tool results show it. */
export const isoOf = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

const minutes = (seconds: number): string => `${Math.ceil(seconds / 60)} min`

const waitFor = (retryAfterSeconds: number | undefined) =>
  retryAfterSeconds === undefined
    ? { wait: "and this one alone is more", details: {} }
    : {
        wait: `and this one can go out in ${minutes(retryAfterSeconds)}`,
        details: { retry_after_seconds: retryAfterSeconds }
      }

/** `retryAfterSeconds` is `undefined` if this send alone exceeds the limit. */
export const limitReached = (
  { counts, limit, option }: SendLimit,
  retryAfterSeconds: number | undefined
): Refusal => {
  const { details, wait } = waitFor(retryAfterSeconds)
  const next = `Tell the person. ${operatorAllows(option)}`
  return counts === "messages"
    ? new Refusal({
        code: "hourly_limit_reached",
        what: `The SMS was not sent: at most ${limit} SMS go out in 60 minutes, ${wait}.`,
        next,
        details: { max_sends_per_hour: limit, ...details }
      })
    : new Refusal({
        code: "daily_limit_reached",
        what: `The SMS was not sent: at most ${limit} segments go out in 24 hours, ${wait}.`,
        next,
        details: { max_segments_per_day: limit, ...details }
      })
}

/** Says what to do about an SMS of unknown outcome. It depends on whether a person can be asked. */
export const unknownAdvice = (canBeAsked: boolean): string =>
  "Do not send it again: it may have gone out, and the service has no way to look it up. Tell the person. " +
  (canBeAsked
    ? "Only when the person accepts that it may arrive twice, call send_sms again with resend_unknown true: they are asked to approve it."
    : "A second send needs the approval of a person, and this client cannot ask one: a client that supports elicitation can, and the person who runs the server can look with messaging-topup-mcp sends --unknown and decide with messaging-topup-mcp resolve.")

export const unknownNotResent = (canBeAsked: boolean): Refusal =>
  new Refusal({
    code: "unknown_not_resent",
    what: "The SMS was not sent by this call: an earlier call sent the same SMS to the same recipient, and it is unknown whether that one went out.",
    next: unknownAdvice(canBeAsked)
  })

/** A second copy whose outcome is unknown. */
export const unknownCopyNotResent = (
  { atMillis, results }: SentOutcome,
  canBeAsked: boolean
): Refusal =>
  new Refusal({
    code: "unknown_not_resent",
    what: "The SMS was not sent by this call: a first copy of it was sent at first_sent_at, and it is unknown whether a second one went out.",
    next: unknownAdvice(canBeAsked),
    details: { first_sent_at: isoOf(atMillis) },
    results
  })

export interface Unavailable {
  readonly kind: SendKind
  /** Whether every send needs a person's approval. */
  readonly isRequired: boolean
  /** The option that decides whether a person is asked. */
  readonly option: Name
}

const unavailable = {
  first: "this server sends only what a person approved",
  resend:
    "an earlier send of it has an unknown outcome, a second one needs the approval of a person",
  copy: "a second copy needs the approval of a person",
  again: "a second copy needs the approval of a person"
} as const satisfies Readonly<Record<SendKind, string>>

const anotherClient = "Tell the person: a client that supports elicitation can ask."

const alternative = ({ isRequired, kind, option }: Unavailable): string => {
  if (kind === "first") {
    return option === "policy"
      ? `The person who runs the server decides it with ${bothNames(option)}.`
      : "The person who runs the server can choose --confirm auto."
  }
  if (isRequired || kind === "resend") return ""
  return kind === "again"
    ? "Nothing is known of a first copy: without send_again it is sent like any other."
    : `When the duplicate window is over, the same call without send_again sends it; the person who runs the server sets the window with ${bothNames("duplicate-window")}.`
}

export const confirmationUnavailable = (why: Unavailable): Refusal =>
  new Refusal({
    code: "confirmation_unavailable",
    what: `The SMS was not sent: ${unavailable[why.kind]}, and this client cannot ask one.`,
    next: [anotherClient, alternative(why)].filter((words) => words !== "").join(" ")
  })

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

/** It does not repeat the client's error text, which could contain anything. */
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

/** The person declined a question that they had approved before. That approval may have sent the SMS. */
export const refusalUsed = new Refusal({
  code: "approval_used",
  what: "The SMS was not sent by this call: the person declined. The question was approved before, and the SMS may have gone out then.",
  next: "Tell the person, and do not call again unless they ask for it."
})

/** The approval belongs to a question that was declined before. */
export const declinedBefore = new Refusal({
  code: "confirmation_declined",
  what: "The SMS was not sent: the person declined this question before.",
  next: "Do not call again unless the person asks for it."
})

export const cancelled = new Refusal({
  code: "cancelled",
  what: "The SMS was not sent: the call was cancelled before its request started.",
  next: "Call again if the person still wants it."
})

/** Nothing is sent without state: a send that is not recorded before its request could go out twice. */
export const memoryUnavailable = ({ message }: { readonly message: string }): Refusal =>
  new Refusal({
    code: "memory_unavailable",
    what: "This call sent nothing: this server could not read or write what it remembers of sends. Whether an earlier call sent the same SMS is not known.",
    next: `Tell the person who runs the server. ${message}.`
  })

export const memoryUnreadable = ({ message }: { readonly message: string }): Refusal =>
  new Refusal({
    code: "memory_unavailable",
    what: "What was sent could not be read.",
    next: `Tell the person who runs the server. ${message}.`
  })

/** The process was suspended between its claim and its request, until the claim was stale. */
export const tooLate = new Refusal({
  code: "stopping",
  what: "The SMS was not sent: this server was suspended for so long that it lost its right to send the SMS.",
  next: "Call again if the person still wants it."
})

export const notSentElsewhere = new Refusal({
  code: "not_sent_elsewhere",
  what: "The SMS was not sent: another call tried to send the same SMS at the same time, and it did not go out.",
  next: "Call again if the person still wants it."
})

export const stopping = new Refusal({
  code: "stopping",
  what: "The SMS was not sent: this server is stopping.",
  next: "Call again when it runs again."
})
