/**
 * What the journal knows of an SMS of a call: how it ended, or that the call may send it. Core decides whether an SMS
 * went out, and the journal what an earlier send means.
 */
import type { SendResult, SendSmsRequest } from "@messaging-topup/core"
import {
  type AskedSms,
  countsForHours,
  decidedSo,
  type EarlierSends,
  type KnownSend,
  type Standing,
  states
} from "@messaging-topup/journal/internal"
import type { PlannedSms } from "./Plan.ts"
import { type Counts, nothingSent, type Outcome, Refusal } from "./Refusal.ts"
import { isoOf, minuteFrom, sentences, timeOf } from "../Sentences.ts"

/** Who can decide about an SMS of unknown outcome. */
export interface Deciders {
  /** Whether the client can ask a person. */
  readonly canAsk: boolean
  /** Whether the operator can, in the journal. */
  readonly canDecide: boolean
}

export const operatorDecides = (canDecide: boolean): string =>
  canDecide
    ? "The person who runs the server can decide about an unknown one in this server's journal with messaging-topup resolve --id and its id."
    : "Nobody can decide about an unknown one: this server's journal is in memory, and forgets it at a restart."

/** Ids of unknown sends, the last one first, if the operator can decide by them: another journal has the same ones. */
export const idsToDecide = (canDecide: boolean, unknown: ReadonlyArray<number>) =>
  canDecide ? unknown.toSorted((one, other) => other - one) : []

/** The same as details of an SMS. */
export const detailsToDecide = (canDecide: boolean, unknown: ReadonlyArray<number>) => {
  const ids = idsToDecide(canDecide, unknown)
  return { id: ids[0], unknown_ids: ids.length > 1 ? ids : undefined }
}

/** With `again`, a person must be asked. */
export const againNeedsApproval =
  "Another send of it needs the approval of a person, and this client cannot ask one."

/** What to do if the person wants another send. `wanted` is what they want. */
export const againIfWanted = (canAsk: boolean, wanted: string): string =>
  canAsk
    ? `Only if the person wants it ${wanted}, call send_sms with again: true, which they are asked to approve.`
    : againNeedsApproval

/** What to do about an SMS of unknown outcome. */
export const unknownAdvice = ({ canAsk, canDecide }: Deciders): string =>
  sentences(
    "Do not send it again, also not in other words or by another caller: it may have gone out, and the service has no way to look it up. Tell the person.",
    canAsk
      ? "Only when the person accepts that it may arrive more than once, make the same call with again: true, which a person approves."
      : againNeedsApproval,
    operatorDecides(canDecide)
  )

/** When a send of it certainly went out: list_recent_sends has its message_id. */
export const sentFirst = (first: KnownSend | undefined) => ({
  first_sent_at: first && isoOf(first.claimedAt)
})

/** Sends of an SMS beside the one that is told: how many went out, and the ids of those of unknown outcome. */
export type OtherSends = Pick<Standing, "decided" | "sent" | "unknown">

/** Those beside one that went out. */
export const besides = ({ decided, sent, unknown }: Standing, send: KnownSend): OtherSends => ({
  decided: decided - (decidedSo(send) === undefined ? 0 : 1),
  sent: sent - 1,
  unknown
})

/** Says who knows that a send went out, which the words `what` name. */
export const whoSays = (send: KnownSend, what: string): string => {
  const which = `${what}, at ${timeOf(send.claimedAt)}`
  return decidedSo(send) === undefined
    ? `the service accepted ${which}`
    : `the person who runs the server decided that ${which}, went out`
}

/** Says until when the same call does this, and what it does later. A journal in memory forgets what was sent. */
export const untilThen = (
  countsUntil: number,
  canDecide: boolean,
  does: string,
  later: string
): string =>
  `Until ${timeOf(countsUntil)}${canDecide ? "" : ", or a restart of this server,"} the same call ${does}; later it ${later}.`

/** Said of an SMS that has others: the person may get it more than once. */
export const alsoSent = ({ decided, sent, unknown }: OtherSends): string => {
  const accepted = sent - decided
  const counts = [
    ...(accepted > 0 ? [`the service accepted ${accepted}`] : []),
    ...(decided > 0 ? [`${decided} went out, as the person who runs the server decided`] : []),
    ...(unknown.length > 0 ? [`${unknown.length} may have gone out`] : [])
  ]
  return counts.length === 0 ? "" : `Other sends of the same SMS: ${counts.join(", ")}.`
}

/** Those beside a send that did not go out, or of which that is unknown: what was sent may count no more. */
export const wentOut = ({ decided, sent }: Standing): OtherSends => ({ decided, sent, unknown: [] })

const unknownNotResent = (deciders: Deciders, { decided, sent, unknown }: OtherSends): Refusal =>
  new Refusal({
    code: "unknown_not_resent",
    outcome: "unknown",
    what: sentences(
      "The SMS was not sent by this call: an earlier call tried to send the same SMS, and it is unknown whether it went out.",
      alsoSent({ decided, sent, unknown: unknown.slice(1) })
    ),
    next: unknownAdvice(deciders),
    details: detailsToDecide(deciders.canDecide, unknown)
  })

const closedByPerson = (canAsk: boolean, others: OtherSends): Refusal =>
  new Refusal({
    code: "closed_by_person",
    outcome: "not-sent",
    ...nothingSent(
      "the person who runs the server decided that the SMS did not go out, and stays unsent"
    ),
    next: sentences(
      alsoSent(others),
      "Tell the person.",
      againIfWanted(canAsk, "sent after all"),
      canAsk
        ? ""
        : "The person who runs the server can take the decision back, if there is no later send of it."
    )
  })

/** What the same call does when one in flight has ended. */
export const thenCallAgain = `It says how that one ended, or, if nothing went out, sends it or asks the person. For ${countsForHours} hours, nothing goes out twice.`

/** A process that was killed does not say how its send ended. */
export const inFlightElsewhere = (staleAt: number, others: OtherSends): Refusal =>
  new Refusal({
    code: "in_flight_elsewhere",
    outcome: "unknown",
    ...nothingSent(
      "another call is sending the same SMS, or was stopped while it did. It is unknown whether that one went out"
    ),
    next: sentences(
      alsoSent(others),
      `By ${minuteFrom(staleAt)} it has ended, or becomes unknown: make the same call then, without again. ${thenCallAgain}`
    )
  })

/** Who approved a send: a person whom this server asked, a client that did not show the question, or nobody. */
export type ApprovedBy = "person" | "client" | "none"

/** By whose approval a call sends, and who can decide about what it leaves unknown. */
export interface Consent extends Deciders {
  readonly approvedBy: ApprovedBy
}

/** Said of a send that went out although the client did not show the question. */
export const approvedByClient = (approvedBy: unknown): string =>
  approvedBy === "client"
    ? "No person approved it: the client accepted the question faster than a person can read."
    : ""

/** An SMS that went out: by this call, or by an earlier one. */
export interface Sent {
  readonly _tag: "Sent"
  /** Empty if the response could not be read. */
  readonly results: ReadonlyArray<SendResult>
  /** Set if this call sent the SMS. */
  readonly approvedBy?: ApprovedBy
  readonly others: OtherSends
  /** Until when the same call does not send it again. */
  readonly countsUntil: number | undefined
  /** Set if an earlier call sent the SMS, so that this call sent nothing. */
  readonly earlier?: KnownSend
}

/** How an SMS of a call ended: what its caller is told. */
export type SmsEnd = Sent | Refusal

/** An SMS of a call, and how its key stands. */
export interface KnownSms extends PlannedSms {
  readonly standing: Standing
  /** Undefined if the call may send it. */
  readonly end: SmsEnd | undefined
}

/** How an SMS of a call ended, and what had gone to the number as something else, if no question told of it. */
export interface Ended {
  readonly end: SmsEnd
  readonly earlier?: EarlierSends | undefined
}

/** How an SMS ended before this call; undefined if nothing is in its way. The journal stores no numbers. */
const endBefore = (
  { recipient }: SendSmsRequest,
  standing: Standing,
  deciders: Deciders
): SmsEnd | undefined => {
  const { send, state } = standing
  switch (state) {
    case "sent":
      return send === undefined
        ? unknownNotResent(deciders, standing)
        : {
            _tag: "Sent",
            results: send.messages.map((message) => ({ recipient, ...message })),
            others: besides(standing, send),
            countsUntil: send.countsUntil,
            earlier: send
          }
    case "unknown":
      return unknownNotResent(deciders, standing)
    case "closed":
      return closedByPerson(deciders.canAsk, wentOut(standing))
    case "in-flight":
      return send === undefined
        ? unknownNotResent(deciders, standing)
        : inFlightElsewhere(send.staleAt, wentOut(standing))
    case "free":
    case "rejected":
      return undefined
  }
}

/** Whether another send of it arrives twice, perhaps, or is against a decision. */
export const isAgain = ({ sent, state, unknown }: Standing): boolean =>
  sent + unknown.length > 0 || state === "closed"

/** What a call with `again` sends, whatever came before: of several SMS, only what is unknown. */
const isOpened = ({ batch }: PlannedSms, { state }: Standing): boolean =>
  state === "unknown" || (batch === undefined && (state === "sent" || state === "closed"))

export const known = (
  sms: PlannedSms,
  standing: Standing,
  again: boolean,
  deciders: Deciders
): KnownSms => ({
  ...sms,
  standing,
  end: again && isOpened(sms, standing) ? undefined : endBefore(sms.request, standing, deciders)
})

/** An SMS as the journal looks for others to its number. */
export const askedOf = ({ key, request, standing }: KnownSms): AskedSms => ({
  key,
  request,
  state: standing.state
})

/** Whether the call may send it. */
export const isOpen = ({ end }: KnownSms): boolean => end === undefined

/** What is known of SMS that a call did not send: in doubt, of several, it is unknown. */
export const outcomeOf = (all: ReadonlyArray<Standing>): Outcome => {
  const [first = "not-sent", ...others] = new Set(
    all.map(({ state }) => (state === "free" ? "not-sent" : states[state].outcome))
  )
  if (others.length === 0) return first
  return [first, ...others].includes("unknown") ? "unknown" : "partly-sent"
}

const isInDoubt = (standing: Standing): boolean =>
  standing.unknown.length > 0 || outcomeOf([standing]) === "unknown"

export const countsOf = (all: ReadonlyArray<Standing>): Counts => ({
  total: all.length,
  sent: all.filter((standing) => outcomeOf([standing]) === "sent").length,
  decided: all.filter(({ decided, sent }) => decided > 0 && decided === sent).length,
  inDoubt: all.filter(isInDoubt).length
})

/** Sends beside the outcome of an SMS: some may count no more, and without them, nobody seems to have got it. */
const othersOf = (standing: Standing): OtherSends =>
  standing.state === "sent" && standing.send !== undefined
    ? besides(standing, standing.send)
    : wentOut(standing)

const alsoSentOf = (standings: ReadonlyArray<Standing>): string => {
  const told = standings
    .map((standing) => alsoSent(othersOf(standing)))
    .filter((also) => also !== "")
  const [only] = told
  if (only === undefined) return ""
  return standings.length === 1
    ? only
    : `Of ${told.length} of its ${standings.length} SMS, another send went out, or may have.`
}

/** The refusal of SMS that stand so, with what the operator decides by. */
export const about = (
  refusal: Refusal,
  canDecide: boolean,
  ...standings: ReadonlyArray<Standing>
): Refusal => {
  if (refusal.outcome !== undefined) return refusal
  const unknown = standings.flatMap((standing) => standing.unknown)
  const details =
    standings.length === 1
      ? detailsToDecide(canDecide, unknown)
      : { unknown_ids: unknown.length === 0 ? undefined : idsToDecide(canDecide, unknown) }
  return refusal
    .about(outcomeOf(standings), countsOf(standings), details)
    .with("", alsoSentOf(standings))
}

/** How an SMS ends that its call does not send: as it stands, and for the reason `left` if nothing is in its way. */
export const unsentEnd = (
  request: SendSmsRequest,
  standing: Standing,
  left: Refusal,
  deciders: Deciders
): SmsEnd => endBefore(request, standing, deciders) ?? about(left, deciders.canDecide, standing)
