/**
 * What the journal knows of the SMS of a call: which of them the call may send, and how the others ended. Core
 * decides whether an SMS went out, and the journal what an earlier send means.
 */
import type { SendOutcome, SendResult } from "@messaging-topup/core"
import { type KnownSend, type Standing, states } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import type { PlannedSms } from "./Plan.ts"
import { notSent, Refusal } from "./Refusal.ts"
import { isoOf, sentences } from "../Sentences.ts"

/** What to do about an SMS of unknown outcome. */
export const unknownAdvice = sentences(
  "Do not send it again: it may have gone out, and the service has no way to look it up. Tell the person.",
  "Only when the person accepts that it may arrive more than once, make the same call with again: true, which a person approves.",
  "The person who runs the server can decide about it with messaging-topup resolve."
)

/** When a send of it certainly went out: list_recent_sends has its message_id. */
export const sentFirst = (first: KnownSend | undefined) =>
  first === undefined ? {} : { first_sent_at: isoOf(first.claimedAt) }

/** `first` is a send of it that certainly went out; `id` that of an unknown one, if there is none. */
const unknownNotResent = (first: KnownSend | undefined, id?: number): Refusal =>
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

const closedByPerson = new Refusal({
  code: "closed_by_person",
  outcome: "not-sent",
  ...notSent(
    "the person who runs the server decided that an earlier send of it did not go out, and that nothing sends it. A decision to resend a later send does not change that"
  ),
  next: "Tell the person. Only if the person wants it sent after all, call send_sms with again: true. Where the client can ask, they are asked to approve it."
})

/** Who approved a send: a person who was asked by this server, or nobody. */
export type ApprovedBy = "person" | "none"

/** An SMS that went out: by this call, or by an earlier one. */
export interface Sent {
  readonly _tag: "Sent"
  /** Empty if the response could not be read. */
  readonly results: ReadonlyArray<SendResult>
  /** Set if this call sent the SMS. */
  readonly approvedBy?: ApprovedBy
  /** Set if an earlier call sent the SMS, so that this call sent nothing. */
  readonly earlier?: KnownSend
}

/** How an SMS of a call ended: what its caller is told. */
export type SmsEnd = Sent | Refusal

/** The end of a call whose SMS an earlier call sent. The journal stores no numbers. */
const sentBefore = ({ request: { recipient } }: PlannedSms, earlier: KnownSend): Sent => ({
  _tag: "Sent",
  results: earlier.messages.map((message) => ({ recipient, ...message })),
  earlier
})

/** What an SMS of a call is as its key stands: it ended, the call may send it, or another call is sending it. */
type KnownEnd = SmsEnd | { readonly _tag: "Open" } | { readonly _tag: "Elsewhere" }

/** A refusal that is known fails, so that it is in the log. */
export const endWith = (end: SmsEnd): Effect.Effect<SmsEnd, Refusal> =>
  end._tag === "Refusal" ? Effect.fail(end) : Effect.succeed(end)

const endOf = (sms: PlannedSms, { attempt, send, state, unknown }: Standing): KnownEnd => {
  switch (state) {
    case "sent":
      // An unknown send after the one that went out was a second one.
      return send === undefined || (unknown > 0 && send.attempt + 1 < attempt)
        ? unknownNotResent(send)
        : sentBefore(sms, send)
    case "unknown":
      return unknownNotResent(undefined, send?.id)
    case "closed":
      return closedByPerson
    case "in-flight":
      return { _tag: "Elsewhere" }
    case "free":
    case "rejected":
      return { _tag: "Open" }
  }
}

/** What is known of SMS that a call did not send: in doubt, of several, it is unknown. */
export const outcomeOf = (all: ReadonlyArray<Standing>): SendOutcome => {
  const outcomes = new Set(
    all.map(({ state, unknown }) => {
      if (unknown > 0) return "unknown"
      return state === "free" ? "not-sent" : states[state].outcome
    })
  )
  return (["unknown", "not-sent"] as const).find((outcome) => outcomes.has(outcome)) ?? "sent"
}

/** The refusal of SMS that stand so: for an only one of unknown outcome, with what the operator decides by. */
export const about = (refusal: Refusal, all: ReadonlyArray<Standing>): Refusal => {
  const [only, ...others] = all
  const isUnknown = only?.state === "unknown" && others.length === 0
  return refusal.about(outcomeOf(all), isUnknown ? only.send?.id : undefined)
}

/** An SMS, and how its key stands. */
export interface KnownSms {
  readonly sms: PlannedSms
  readonly standing: Standing
}

/** Which SMS a call with `again` sends, whatever came before: of several, only what is unknown. */
const isOpened = ({ state }: Standing, isOnly: boolean): boolean =>
  state === "unknown" || (isOnly && (state === "sent" || state === "closed"))

export interface SortedSms extends KnownSms {
  readonly end: KnownEnd
}

export const openOf = (sorted: ReadonlyArray<SortedSms>) =>
  sorted.filter(({ end }) => end._tag === "Open")

export const sortOne = (known: KnownSms, again: boolean, isOnly: boolean): SortedSms => ({
  ...known,
  end:
    again && isOpened(known.standing, isOnly) ? { _tag: "Open" } : endOf(known.sms, known.standing)
})

export const sort = (all: ReadonlyArray<KnownSms>, again: boolean): ReadonlyArray<SortedSms> =>
  all.map((known) => sortOne(known, again, all.length === 1))
