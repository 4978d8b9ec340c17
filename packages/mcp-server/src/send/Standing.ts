/**
 * What the journal knows of the SMS of a call: which of them the call may send, and how the others ended. Core
 * decides whether an SMS went out, and the journal what an earlier send means.
 */
import type { SendOutcome, SendResult } from "@messaging-topup/core"
import { type KnownSend, type Standing, states } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import type { PlannedSms } from "./Plan.ts"
import type { Refusal } from "./Refusal.ts"
import { closedByPerson, unknownNotResent } from "./Refusals.ts"

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
export const sentBefore = ({ request: { recipient } }: PlannedSms, earlier: KnownSend): Sent => ({
  _tag: "Sent",
  results: earlier.messages.map((message) => ({ recipient, ...message })),
  earlier
})

/** What an SMS of a call is as its key stands: it ended, the call may send it, or another call is sending it. */
type KnownEnd = Effect.Effect<SmsEnd, Refusal> | "open" | "elsewhere"

export const endOf = (sms: PlannedSms, { attempt, send, state, unknown }: Standing): KnownEnd => {
  switch (state) {
    case "sent":
      // An unknown send after the one that went out was a second one.
      return send === undefined || (unknown > 0 && send.attempt + 1 < attempt)
        ? unknownNotResent(send)
        : Effect.succeed(sentBefore(sms, send))
    case "unknown":
      return unknownNotResent(undefined, send?.id)
    case "closed":
      return closedByPerson
    case "in-flight":
      return "elsewhere"
    case "free":
    case "rejected":
      return "open"
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
  sorted.filter(({ end }) => end === "open")

export const sort = (all: ReadonlyArray<KnownSms>, again: boolean): ReadonlyArray<SortedSms> =>
  all.map(({ sms, standing }) => {
    const isOpen = again && isOpened(standing, all.length === 1)
    return { sms, standing, end: isOpen ? "open" : endOf(sms, standing) }
  })
