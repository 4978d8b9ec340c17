/**
 * What the journal knows of the SMS of a call: how they ended, which are open, and whether those may be sent: within
 * the limit, and by whose approval. Core decides whether an SMS went out, and the journal what an earlier send means.
 */
import type { SendOutcome, SendResult } from "@messaging-topup/core"
import { type KnownSend, type Standing, states } from "@messaging-topup/journal/internal"
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { bothNames } from "../Options.ts"
import * as Approval from "./Approval.ts"
import type { Journal } from "./Journal.ts"
import { doubtIn, type KnownSms, type PlannedSms, type RefusedRow, rowsRefused } from "./Plan.ts"
import * as Question from "./Question.ts"
import { notSent, nothingSent, Refusal } from "./Refusal.ts"
import { limitReached, maySendUnasked, type Rules } from "./Rules.ts"
import { isoOf, sentences, timeOf } from "../Sentences.ts"

/** What to do about an SMS of unknown outcome. */
export const unknownAdvice = sentences(
  "Do not send it again: it may have gone out, and the service has no way to look it up. Tell the person.",
  "Only when the person accepts that it may arrive more than once, make the same call with again: true, which a person approves.",
  "The person who runs the server can decide about it with messaging-topup resolve --id and its id."
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
        ? "The SMS was not sent by this call: an earlier call tried to send the same SMS, and it is unknown whether it went out."
        : `The SMS was not sent by this call: it was sent at ${timeOf(first.claimedAt)}, and it is unknown whether a later send of it went out, too.`,
    next: unknownAdvice,
    details: { ...sentFirst(first), ...(id === undefined ? {} : { id }) }
  })

const closedByPerson = new Refusal({
  code: "closed_by_person",
  outcome: "not-sent",
  ...notSent("the person who runs the server decided that it did not go out, and stays unsent"),
  next: "Tell the person. Only if the person wants it sent after all, call send_sms with again: true. Where the client can ask, they are asked to approve it."
})

/** Who approved a send: a person whom this server asked, a client that did not show the question, or nobody. */
export type ApprovedBy = "person" | "client" | "none"

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
type SmsState = SmsEnd | { readonly _tag: "Open" } | { readonly _tag: "Elsewhere" }

/** Fails with a refusal, which is then in the log. */
export const endWith = (end: SmsEnd): Effect.Effect<SmsEnd, Refusal> =>
  end._tag === "Refusal" ? Effect.fail(end) : Effect.succeed(end)

const endOf = (sms: PlannedSms, { attempt, send, state, unknown }: Standing): SmsState => {
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

/** Which SMS a call with `again` sends, whatever came before: of several, only what is unknown. */
const isOpened = ({ state }: Standing, isOnly: boolean): boolean =>
  state === "unknown" || (isOnly && (state === "sent" || state === "closed"))

export interface SortedSms extends KnownSms {
  readonly end: SmsState
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

/** Why a client asks nobody, and which one could ask. */
const clients = {
  mute: {
    why: "this client cannot ask one",
    other: "a client that supports elicitation can ask"
  },
  automatic: {
    why: "this client approved by itself, faster than a person can read",
    other: "a client that shows them the question can ask"
  }
} as const

type Client = (typeof clients)[keyof typeof clients]

/** It does not name --confirm off: a model that can start programs could start the server with it. */
const operator = "The person who runs the server can allow it without an approval"

const unavailable = (what: string, { why }: Client, next: string): Refusal =>
  new Refusal({
    code: "confirmation_unavailable",
    ...nothingSent(`${what} the approval of a person, and ${why}`),
    next,
    concernsAll: true
  })

/** A first send with `--confirm require`. */
const confirmationRequired = (client: Client) =>
  unavailable(
    "each send of this server needs",
    client,
    `Tell the person: ${client.other}. ${operator}.`
  )

/** A call with `again`. */
const againUnavailable = (client: Client) =>
  unavailable(
    "to send an SMS again needs",
    client,
    `Tell the person: ${client.other}. About an unknown one, the person who runs the server decides with messaging-topup resolve --id and its id.`
  )

/** A call with `again` of what was never sent. */
const nothingAgain = (client: Client) =>
  unavailable(
    "a call with again needs",
    client,
    "Nothing of it was sent before: make the same call without again."
  )

/** A first send, where the operator listed no recipient, or not each of a batch. */
const recipientsUnlisted = (client: Client, isOnly: boolean) =>
  unavailable(
    isOnly
      ? "a number that the person who runs the server did not list needs"
      : "a batch to numbers that the person who runs the server did not list one by one needs",
    client,
    `Tell the person the two ways out: ${client.other}, or the person who runs the server lists ${isOnly ? "the number" : "each number"} with ${bothNames("allow-recipients")}.`
  )

/** Somebody may mean it, but nobody is asked whether. */
const doubtUnasked = ({ number, request }: PlannedSms): ReadonlyArray<RefusedRow> => {
  const doubt = doubtIn(request)
  if (doubt === undefined) return []
  const refusal = new Refusal({
    code: "invalid_arguments",
    ...notSent(`its ${doubt}`),
    next: "Correct it with the person. If it is meant, only a person who is asked can approve it.",
    concernsAll: true
  })
  return [{ number, refusal }]
}

/** The open SMS of a call may be sent. */
interface Admitted {
  readonly _tag: "Admitted"
  readonly approvedBy: ApprovedBy
  /** Whether an SMS that another call is sending may be sent, too, if it is free then. */
  readonly covers: (sms: SortedSms) => boolean
  /** What nobody was told before the send. */
  readonly sameText: Question.SameTexts
}

const admittedBy = (
  approvedBy: ApprovedBy,
  covers: Admitted["covers"] = () => false,
  sameText: Question.SameTexts = new Map()
): Admitted => ({ _tag: "Admitted", approvedBy, covers, sameText })

/** Sends with another time or sender, and those that no longer count. */
const sameTextOf = Effect.fnUntraced(function* (
  use: Journal["Service"]["use"],
  { id: caller }: Approval.Decision["caller"],
  open: ReadonlyArray<SortedSms>
) {
  const asked = open.map(({ sms: { key, request }, standing }) => ({
    key,
    request,
    // The same SMS itself is told already.
    isOther: standing.state !== "free" && standing.state !== "rejected"
  }))
  const all = yield* use(({ server }) => server.lastOfSameText(caller, asked))
  const found = Array.zip(open, all)
  return new Map(
    found.flatMap(([{ sms }, last]) => (last === undefined ? [] : [[sms.number, last]]))
  )
})

/**
 * Returns who approved what is open, or the question. A call with `again` is never unasked, even if nothing is
 * known of its SMS.
 */
export const admission = (rules: Rules, use: Journal["Service"]["use"]) =>
  Effect.fnUntraced(function* (
    { approval, caller, isAutomatic, refusal }: Approval.Decision,
    sorted: ReadonlyArray<SortedSms>,
    again: boolean
  ): Effect.fn.Return<Admitted, Approval.Pending | Refusal> {
    const open = openOf(sorted)
    const isOnly = sorted.length === 1
    if (refusal !== undefined)
      return yield* open.length === 0 ? Effect.succeed(admittedBy("none")) : refusal
    const { person } = caller
    const isAsked = person !== undefined && (again || rules.confirm !== "off")
    // The claim of an only SMS checks them too: before it, they only spare a person, an approval or a part of a batch.
    if (open.length > 0 && (!isOnly || isAsked)) {
      const reached = yield* use(({ server }) => server.limit(rules.maxSendsPerHour, open.length))
      if (reached !== undefined) return yield* limitReached(reached, open.length)
    }
    if (approval !== undefined) {
      const covers = ({ end, sms }: SortedSms) =>
        approval.isForCall &&
        approval.asked(sms.number) !== undefined &&
        (end._tag === "Open" || end._tag === "Elsewhere")
      if (!open.every(covers)) return yield* Approval.approvalInvalid
      if (isOnly || !sorted.some(covers)) return admittedBy("person", covers)
      const before = yield* use(({ server }) => server.redeem(approval.redeemable, true))
      if (before === undefined) return admittedBy("person", covers)
      return yield* Approval.usedBefore(before === "approved")
    }
    const needsNobody =
      rules.confirm === "off" ||
      (person === undefined &&
        maySendUnasked(
          rules,
          sorted.map(({ sms }) => sms.request)
        ))
    const doubtful = open.flatMap(({ sms }) => doubtUnasked(sms))
    const mustAsk = doubtful.length > 0 && person !== undefined
    const isUnasked = !again && needsNobody && !mustAsk
    if (open.length === 0) return admittedBy("none", () => isUnasked)
    if (isUnasked) {
      const [first] = doubtful
      if (first !== undefined) {
        return yield* isOnly ? first.refusal : rowsRefused(doubtful, sorted.length)
      }
      const approvedBy = isAutomatic === true ? "client" : "none"
      return admittedBy(approvedBy, () => true, yield* sameTextOf(use, caller, open))
    }
    if (person === undefined) {
      const client = isAutomatic === true ? clients.automatic : clients.mute
      const isAnySent = open.some(({ standing }) => standing.state !== "free" || standing.sent > 0)
      if (again && isAnySent) return yield* againUnavailable(client)
      if (needsNobody) return yield* nothingAgain(client)
      return yield* rules.confirm === "require"
        ? confirmationRequired(client)
        : recipientsUnlisted(client, isOnly)
    }
    const sameText = yield* sameTextOf(use, caller, open)
    const others = sorted.filter((each) => !open.includes(each))
    const question = Question.write(
      { open, others, sameText },
      again,
      yield* Clock.currentTimeMillis
    )
    return yield* Approval.ask(person, question, sorted, open)
  })
