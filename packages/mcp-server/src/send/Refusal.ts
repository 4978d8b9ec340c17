/**
 * Refusals: the codes, and the texts that say why a tool did not do what it was asked to do.
 *
 * The texts for failures of the service are in `ServiceFailure.ts`, those about a person's approval in
 * `ApprovalRefusals.ts`.
 */
import type { SendOutcome, SendResult } from "@messaging-topup/core"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import { everyone, type SendLimit, type SentCopy } from "./PlannedSend.ts"
import { bothNames, type Name } from "../Options.ts"

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
export const operatorAllows = (option: Name): string =>
  `The person who runs the server can allow more with ${bothNames(option)}.`

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

/** Whose sends a limit counts, as data and in words. */
const whose = (scope: string) => {
  if (scope === everyone) return { limit_of: "all_callers", words: "for all callers together" }
  return scope.startsWith("client:")
    ? { limit_of: "this_client", words: "for this client" }
    : { limit_of: "this_caller", words: "for this caller" }
}

/** `retryAfterSeconds` is `undefined` if this send alone exceeds the limit. */
export const limitReached = (
  { counts, limit, option, scope }: SendLimit,
  retryAfterSeconds: number | undefined
): Refusal => {
  const { details: times, wait } = waitFor(retryAfterSeconds)
  const { limit_of, words } = whose(scope)
  const details = { limit_of, ...times }
  const next = `Tell the person. ${operatorAllows(option)}`
  return counts === "messages"
    ? new Refusal({
        code: "hourly_limit_reached",
        what: `The SMS was not sent: at most ${limit} SMS go out in 60 minutes ${words}, ${wait}.`,
        next,
        details: { max_sends_per_hour: limit, ...details }
      })
    : new Refusal({
        code: "daily_limit_reached",
        what: `The SMS was not sent: at most ${limit} segments go out in 24 hours ${words}, ${wait}.`,
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

/** Says how often an SMS may have arrived whose second send is unknown too, and advises to stop. */
export const afterTries = (
  { code, details, results, what }: Refusal,
  tries: number,
  canBeAsked: boolean
): Refusal =>
  new Refusal({
    code,
    what,
    ...(results === undefined ? {} : { results }),
    next:
      `Stop here: ${tries} sends of this SMS may have arrived, and nobody can look them up. Tell the person. ` +
      (canBeAsked
        ? `Only if the person insists, call with resend_unknown true: the SMS may then arrive ${tries + 1} times.`
        : "The person who runs the server can decide with messaging-topup-mcp sends --unknown and resolve."),
    details: { ...details, tries }
  })

/** `first` is the first copy, which went out, if the send of unknown outcome was a second one. */
export const unknownNotResent = (first: SentCopy | undefined, canBeAsked: boolean): Refusal =>
  new Refusal({
    code: "unknown_not_resent",
    next: unknownAdvice(canBeAsked),
    ...(first === undefined
      ? {
          what: "The SMS was not sent by this call: an earlier call sent the same SMS to the same recipient, and it is unknown whether that one went out."
        }
      : {
          what: "The SMS was not sent by this call: a first copy of it was sent at first_sent_at, and it is unknown whether a second one went out.",
          details: { first_sent_at: isoOf(first.atMillis) },
          results: first.results
        })
  })

export const cancelled = new Refusal({
  code: "cancelled",
  what: "The SMS was not sent: the call ended before its request started.",
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

const askAgainLater =
  "Make the same call again in a minute: it says how it ended, and sends nothing twice."

/** A host gives up on a call after a minute, and its model would know nothing. The send goes on. */
export const stillInFlight = new Refusal({
  code: "in_flight",
  what: "It is unknown whether the SMS was sent: its request is in flight.",
  next: askAgainLater
})

/** A process that was killed does not say how its send ended. */
export const inFlightElsewhere = new Refusal({
  code: "in_flight_elsewhere",
  what: "This call sent nothing: another call is sending the same SMS, or was stopped while it did. It is unknown whether that one went out.",
  next: askAgainLater
})

export const readTooLong = new Refusal({
  code: "read_failed",
  what: "Nothing was read: the service did not respond in time.",
  next: "Wait a minute, then call again."
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
