/** The texts of all refusals that are not failures of the service. */
import type { KnownSend, Usage } from "@messaging-topup/journal/internal"
import * as Duration from "effect/Duration"
import { bothNames, type Name } from "../Options.ts"
import { Refusal } from "./Refusal.ts"
import { optionOf } from "./Rules.ts"
import { firstOf, isoOf, plural, rangesOf, sentences } from "./Text.ts"

/** Says who can raise a limit, and with which option. */
const operatorAllows = (option: Name): string =>
  `The person who runs the server can allow more with ${bothNames(option)}.`

/** A model must not choose who is left out. */
const smallerCall = "A smaller call is allowed if the person chooses who gets it."

/** The texts of a refusal of one SMS, or of a whole call. */
const notSent = (problem: string) => ({ what: `The SMS was not sent: ${problem}.`, problem })
const nothingSent = (problem: string) => ({
  what: `This call sent nothing: ${problem}.`,
  problem
})

// The arguments and the tool itself.

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
        outcome: "unknown",
        what: "It is unknown whether the SMS was sent: the tool failed inside this server.",
        next: "Do not send it again. Tell the person; the log of the server may say more.",
        concernsAll: true
      })

export const readTooLong = new Refusal({
  code: "read_failed",
  what: "Nothing was read: the service did not respond in time.",
  next: "Wait a minute, then call again."
})

// One SMS alone.

export const recipientNotAllowed = new Refusal({
  code: "recipient_not_allowed",
  ...notSent(
    "the recipient, as it is written, is not on the list of allowed recipients of this server"
  ),
  next: `If it has no + and country code, ask the person for them. Do not try another number. The person who runs the server can allow it with ${bothNames("allow-recipients")}.`
})

export const recipientUnclear = new Refusal({
  code: "recipient_unclear",
  ...notSent("its recipient names no number, or may name several"),
  next: "Give each number that the person asked for on its own, in digits, without blanks."
})

export const tooManySegments = (segments: number, max: number): Refusal =>
  new Refusal({
    code: "too_many_segments",
    ...notSent(`its text takes ${segments} segments, and this server allows ${max}`),
    next: `Shorten the text with the person. ${operatorAllows("max-segments")}`,
    details: { segments, max_segments: max }
  })

// The rows of a batch.

export const tooManyRows = (total: number, max: number): Refusal =>
  new Refusal({
    code: "too_many_rows",
    ...nothingSent(`the batch has ${total} rows, and this server allows ${max}`),
    next: `Tell the person: the command messaging-topup sends files of any length. ${smallerCall} ${operatorAllows("max-batch")}`,
    details: { total, max_batch: max }
  })

export const sameAsRow = (number: number): Refusal =>
  new Refusal({
    code: "rows_refused",
    ...notSent(`it is the same SMS as row ${number}`),
    next: "Leave out one of two equal rows."
  })

/** A row that cannot be sent, and its number, from 1. */
export interface RefusedRow {
  readonly number: number
  readonly refusal: Refusal
}

/** Says all problems at once. Equal ones are said once. */
export const rowsRefused = (rows: ReadonlyArray<RefusedRow>, total: number): Refusal => {
  const byText = Map.groupBy(rows, ({ refusal: { problem, what } }) => problem ?? what)
  const texts = [...byText].map(
    ([problem, each]) =>
      `${each.length === 1 ? "row" : "rows"} ${rangesOf(each.map(({ number }) => number))}: ${problem}`
  )
  return new Refusal({
    code: "rows_refused",
    what: `This call sent nothing: ${plural(rows.length, "row")} of ${total} cannot be sent; ${firstOf(texts)}.`,
    next: sentences(
      "Correct these rows with the person, or leave them out, and call again.",
      ...new Set(rows.map(({ refusal }) => refusal.next))
    ),
    details: { total, rows_refused: rows.length }
  })
}

/**
 * Its call was cancelled, its batch stopped before, the process was suspended until its claim was too old, or
 * another call tried to send the same SMS at the same time, which did not go out.
 */
export const notStarted = new Refusal({
  code: "not_started",
  ...notSent("this call did not start its request, or not in time"),
  next: "The same call again sends it."
})

// Limits.

const whole = { messages: "SMS", segments: "segments" } as const

/** A wait in minutes, and a long one in hours. */
const waitOf = (wait: Duration.Duration): string =>
  Duration.isLessThan(wait, Duration.hours(2))
    ? `${Math.ceil(Duration.toMinutes(wait))} min`
    : `${Math.ceil(Duration.toHours(wait))} hours`

/** What may be done of a call that alone, or now, is too much. `rows` is the number of its SMS. */
const whenOf = ({ limit, retryAfter, used }: Usage, rows: number): string => {
  const left = Math.max(0, limit.max - used)
  const now = rows > 1 ? `: ${left} of its ${whole[limit.counts]} would fit now` : ""
  return retryAfter === undefined
    ? `and this call alone is more${now}`
    : `and this call can send in ${waitOf(retryAfter)}${now}`
}

export const limitReached = (usage: Usage, rows: number): Refusal => {
  const { limit, retryAfter } = usage
  const whose = limit.of === "everyone" ? "for all callers together" : "for this caller"
  const time = limit.counts === "messages" ? "60 minutes" : "24 hours"
  return new Refusal({
    code: "limit_reached",
    ...nothingSent(
      `at most ${limit.counts === "messages" ? `${limit.max} SMS` : plural(limit.max, "segment")} go out in ${time} ${whose}, ${whenOf(usage, rows)}`
    ),
    next: sentences(
      "Tell the person.",
      rows > 1 ? smallerCall : "",
      operatorAllows(optionOf(limit))
    ),
    concernsAll: true,
    details: {
      limit: limit.max,
      limit_of: limit.of === "everyone" ? "all_callers" : "this_caller",
      ...(retryAfter === undefined
        ? {}
        : { retry_after_seconds: Math.ceil(Duration.toSeconds(retryAfter)) })
    }
  })
}

// What an earlier call did.

/** What to do about an SMS of unknown outcome. */
export const unknownAdvice = sentences(
  "Do not send it again: it may have gone out, and the service has no way to look it up. Tell the person.",
  "Only when the person accepts that it may arrive more than once, call again with again true, which a person approves.",
  "The person who runs the server can decide about it with messaging-topup resolve."
)

/** When a send of it certainly went out: list_recent_sends has its message_id. */
export const sentFirst = (first: KnownSend | undefined) =>
  first === undefined ? {} : { first_sent_at: isoOf(first.claimedAt) }

/** `first` is a send of it that certainly went out; `id` that of an unknown one, if there is none. */
export const unknownNotResent = (first: KnownSend | undefined, id?: number): Refusal =>
  new Refusal({
    code: "unknown_not_resent",
    outcome: "unknown",
    what:
      first === undefined
        ? "The SMS was not sent by this call: an earlier call sent the same SMS to the same recipient, and it is unknown whether that one went out."
        : "The SMS was not sent by this call: it was sent at first_sent_at, and it is unknown whether a later send of it went out, too.",
    next: unknownAdvice,
    details: { ...sentFirst(first), ...(id === undefined ? {} : { id }) }
  })

export const closedByPerson = new Refusal({
  code: "closed_by_person",
  outcome: "not-sent",
  ...notSent(
    "the person who runs the server decided that an earlier send of it did not go out, and that nothing sends it"
  ),
  next: "Tell the person. Only if the person wants it sent after all, call again with again true: where the client can ask, they are asked to approve it."
})

const askAgainLater =
  "Make the same call in a minute, without again: it says how it ended, and sends nothing twice."

/** A host gives up on a call after a minute, and its model would know nothing. The send goes on. */
export const stillInFlight = new Refusal({
  code: "in_flight",
  outcome: "unknown",
  what: "It is unknown whether the SMS was sent: its request is in flight.",
  next: askAgainLater
})

/** A process that was killed does not say how its send ended. */
export const inFlightElsewhere = new Refusal({
  code: "in_flight_elsewhere",
  outcome: "unknown",
  ...nothingSent(
    "another call is sending the same SMS, or was stopped while it did. It is unknown whether that one went out"
  ),
  next: askAgainLater
})

// The server itself.

/** Nothing is sent without the journal: a send that is not recorded before its request could go out twice. */
export const journalUnavailable = ({ message }: { readonly message: string }): Refusal =>
  new Refusal({
    code: "journal_unavailable",
    outcome: "unknown",
    ...nothingSent(
      "this server could not read or write what it remembers of sends. Whether an earlier call sent the same SMS is not known"
    ),
    next: `Tell the person who runs the server. ${message}.`,
    concernsAll: true
  })

export const stopping = new Refusal({
  code: "stopping",
  ...notSent("this server is stopping"),
  next: "Call again when it runs again.",
  concernsAll: true
})

// A person's approval. The texts fit one SMS and many.

const anotherClient = "Tell the person: a client that supports elicitation can ask."

/** No option is named: a model that can start programs could start the server with it. The documentation names it. */
const operator = "The person who runs the server can allow it without an approval"

const unavailable = (what: string, next: string): Refusal =>
  new Refusal({
    code: "confirmation_unavailable",
    ...nothingSent(`${what} the approval of a person, and this client cannot ask one`),
    next,
    concernsAll: true
  })

/** A first send with `--confirm require`. */
export const confirmationRequired = unavailable(
  "each send of this server needs",
  `${anotherClient} ${operator}.`
)

/** A call with `again`. */
export const againUnavailable = unavailable(
  "to send an SMS again needs",
  `${anotherClient} When the duplicate window is over, the same call without again sends what went out; the person who runs the server sets it with ${bothNames("duplicate-window")}, and decides about an unknown one with messaging-topup resolve --id.`
)

/** A first send, where the operator named no recipient. */
export const recipientsUnlisted = unavailable(
  "a number that the person who runs the server did not list needs",
  `Tell the person the two ways out: a client that supports elicitation can ask, or the person who runs the server lists the numbers with ${bothNames("allow-recipients")}.`
)

const notUnlessAsked = "Do not call again unless the person asks for it."

const asksAgain = "The same call asks the person again."

const unapproved = (code: Refusal["code"], why: string, next: string): Refusal =>
  new Refusal({ code, ...nothingSent(why), next })

export const confirmationDeclined = unapproved(
  "confirmation_declined",
  "the person declined",
  notUnlessAsked
)

/** The call ends with a card, which the host shows beside this result. */
export const confirmationOnCard = (expiresAt: number): Refusal =>
  unapproved(
    "confirmation_on_card",
    "the person is asked first, on a card that the host shows with this result",
    `Wait for the person. If they see no card, tell them that this host shows none, and that this call sends nothing. The question expires at ${isoOf(expiresAt)}.`
  )

/** It does not repeat the error text of a client, which could contain anything. */
export const confirmationCancelled = unapproved(
  "confirmation_cancelled",
  "the question was closed, not shown, or not decided in time",
  `Ask the person what to do. ${asksAgain}`
)

export const confirmationUnasked = unapproved(
  "confirmation_unasked",
  "nobody was asked, because the client declined by itself, faster than a person can read",
  "Do not call again: tell the person that this client asks nobody, and that nothing was sent."
)

export const approvalInvalid = unapproved(
  "approval_invalid",
  "the approval was given for other arguments, or is not one that this server asked for",
  asksAgain
)

/** Also if the person declines what they approved before. */
export const approvalUsed = unapproved(
  "approval_used",
  "its approval was used before, and the call that used it may have sent what was approved",
  notUnlessAsked
)

/** The approval belongs to a question that was decided before, by the person or by the client itself. */
export const declinedBefore = unapproved(
  "confirmation_declined",
  "its question was decided before, without an approval",
  notUnlessAsked
)
