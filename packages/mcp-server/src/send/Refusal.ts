/**
 * Refusals: the texts that say why a tool did not do what it was asked to do.
 *
 * The texts for failures of the service are in `ServiceFailure.ts`, those about a person's approval in
 * `ApprovalRefusals.ts`.
 */
import type { SendResult } from "@messaging-topup/core"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import { everyone, type SendLimit, type SentCopy } from "./PlannedSend.ts"
import { bothNames, type Name } from "../Options.ts"
import { type Code, type RefusalCode, refusalCodes } from "./RefusalCodes.ts"

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

/** Says who can raise a limit, and with which option. */
export const operatorAllows = (option: Name): string =>
  `The person who runs the server can allow more with ${bothNames(option)}.`

/** Formats a time as tool results show it. */
export const isoOf = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

const waitFor = (retryAfterSeconds: number | undefined) =>
  retryAfterSeconds === undefined
    ? { wait: "and this one alone is more", details: {} }
    : {
        wait: `and this one can go out in ${Math.ceil(retryAfterSeconds / 60)} min`,
        details: { retry_after_seconds: retryAfterSeconds }
      }

/** Whose sends a limit counts, as data and in words. */
const whose = (scope: string) => {
  if (scope === everyone) return { limit_of: "all_callers", words: "for all callers together" }
  return scope.startsWith("client:")
    ? { limit_of: "this_client", words: "for this client" }
    : { limit_of: "this_caller", words: "for this caller" }
}

const limitFacts = {
  messages: {
    code: "hourly_limit_reached",
    unit: "SMS",
    time: "60 minutes",
    field: "max_sends_per_hour"
  },
  segments: {
    code: "daily_limit_reached",
    unit: "segments",
    time: "24 hours",
    field: "max_segments_per_day"
  }
} as const

/** `retryAfterSeconds` is `undefined` if this send alone exceeds the limit. */
export const limitReached = (
  { counts, limit, option, scope }: SendLimit,
  retryAfterSeconds: number | undefined
): Refusal => {
  const { code, field, time, unit } = limitFacts[counts]
  const { details, wait } = waitFor(retryAfterSeconds)
  const { limit_of, words } = whose(scope)
  return new Refusal({
    code,
    what: `The SMS was not sent: at most ${limit} ${unit} go out in ${time} ${words}, ${wait}.`,
    next: `Tell the person. ${operatorAllows(option)}`,
    details: { [field]: limit, limit_of, ...details }
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
