/** Whether the SMS of a call that are open may be sent: within the limit, and by whose approval. */
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { isNamed } from "../AllowList.ts"
import * as Approval from "./Approval.ts"
import { notStarted } from "./Dispatch.ts"
import type { Journal } from "./Journal.ts"
import { doubtIn } from "./Meant.ts"
import { type RefusedRow, rowsRefused } from "./Plan.ts"
import * as Question from "./Question.ts"
import { notSent, nothingSent, Refusal } from "./Refusal.ts"
import { limitReached, type Rules } from "./Rules.ts"
import { about, type ApprovedBy, isOpen, type KnownSms, unsentEnd } from "./Standing.ts"
import { bothNames } from "../Options.ts"

/**
 * Whether a client that cannot ask may make first sends. Its host may ask, and not show who gets a batch, so the
 * operator lists each of its numbers.
 */
const maySendUnasked = (
  { allowList, confirm, isSandbox }: Rules,
  all: ReadonlyArray<KnownSms>
): boolean =>
  confirm === "auto" &&
  (isSandbox ||
    (allowList !== undefined &&
      (all.length === 1 || all.every(({ request }) => isNamed(allowList, request.recipient)))))

/** What a client that asks nobody is told of what needs a person. `isAutomatic`: it approves by itself. */
const unavailable = (isAutomatic: boolean, what: string, next: (client: string) => string) => {
  const [why, client] = isAutomatic
    ? [
        "this client approved by itself, faster than a person can read",
        "a client that shows them the question can ask"
      ]
    : ["this client cannot ask one", "a client that supports elicitation can ask"]
  return new Refusal({
    code: "confirmation_unavailable",
    ...nothingSent(`${what} the approval of a person, and ${why}`),
    next: next(client),
    concernsAll: true
  })
}

const againUnavailable = (isAutomatic: boolean) =>
  unavailable(
    isAutomatic,
    "to send an SMS again needs",
    (client) =>
      `Tell the person: ${client}. About an unknown one, the person who runs the server decides with messaging-topup resolve --id and its id.`
  )

/** A call with `again` of what was never sent. */
const nothingAgain = (isAutomatic: boolean) =>
  unavailable(
    isAutomatic,
    "a call with again needs",
    () => "Nothing of it was sent before: make the same call without again."
  )

/** It does not name --confirm off: a model that can start programs could start the server with it. */
const firstUnavailable = (isAutomatic: boolean, { confirm }: Rules, isOnly: boolean) => {
  if (confirm === "require") {
    return unavailable(
      isAutomatic,
      "each send of this server needs",
      (client) =>
        `Tell the person: ${client}. The person who runs the server can allow it without an approval.`
    )
  }
  const [what, which] = isOnly
    ? ["a number that the person who runs the server did not list needs", "the number"]
    : [
        "a batch to numbers that the person who runs the server did not list one by one needs",
        "each number"
      ]
  return unavailable(
    isAutomatic,
    what,
    (client) =>
      `Tell the person the two ways out: ${client}, or the person who runs the server lists ${which} with ${bothNames("allow-recipients")}.`
  )
}

/** Somebody may mean it, but nobody is asked whether. */
const doubtUnasked = ({ number, request }: KnownSms): ReadonlyArray<RefusedRow> => {
  const doubt = doubtIn(request)
  if (doubt === undefined) return []
  const refusal = new Refusal({
    code: "invalid_arguments",
    ...notSent(`its ${doubt}`),
    next: "Correct it with the person. If it is meant, only a person who is asked can approve it.",
    concernsAll: true
  })
  return [[number, refusal]]
}

/** Adds the last send of the same text to the same number that is not told as the same SMS: with another time or sender, or one that no longer counts. */
const withSameText = Effect.fnUntraced(function* (
  { use }: Journal["Service"],
  { id: caller }: Approval.Decision["caller"],
  open: Array.NonEmptyReadonlyArray<KnownSms>
) {
  const asked = open.map(({ key, request, standing }) => ({
    key,
    request,
    // The same SMS itself is told already.
    isOther: standing.state !== "free" && standing.state !== "rejected"
  }))
  const found = yield* use(({ server }) => server.lastOfSameText(caller, asked))
  return Array.map(open, (sms, at) => ({ ...sms, sameText: found[at] }))
})

/** Sends what the person approved as it stands. All others are told as they stand. */
const approved = Effect.fnUntraced(function* (
  { use }: Journal["Service"],
  { covers, redeemable }: NonNullable<Approval.Decision["approval"]>,
  all: ReadonlyArray<KnownSms>
) {
  const open = all.filter(isOpen)
  const isAnyCovered = open.some(covers)
  // The claim of an only SMS redeems it.
  const isOnly = all.length === 1
  if (!isOnly && open.length > 0) {
    const before = yield* use(({ server }) =>
      isAnyCovered ? server.redeem(redeemable, true) : server.redeemed(redeemable)
    )
    if (before !== undefined) return yield* Approval.usedBefore(before === "approved")
    if (!isAnyCovered) return yield* Approval.approvalInvalid
  }
  const left = isOnly ? Approval.approvalInvalid : notStarted
  const end = (sms: KnownSms): KnownSms =>
    !isOpen(sms) || covers(sms) ? sms : { ...sms, end: unsentEnd(sms.request, sms.standing, left) }
  return { all: all.map(end), approvedBy: "person" } as const
})

/**
 * Returns who approved what is open, or asks. A call with `again` is never unasked, even if nothing is known of its
 * SMS.
 */
export const make = (rules: Rules, journal: Journal["Service"]) => {
  const admit = Effect.fnUntraced(function* (
    { approval, caller, isAutomatic = false, refusal }: Approval.Decision,
    all: ReadonlyArray<KnownSms>,
    again: boolean
  ) {
    const { use } = journal
    const { person } = caller
    const open = all.filter(isOpen)
    const isOnly = all.length === 1
    const approvedBy: ApprovedBy = isAutomatic ? "client" : "none"
    if (refusal !== undefined && (isOnly || open.length > 0)) return yield* refusal
    if (!Array.isReadonlyArrayNonEmpty(open)) return { all, approvedBy }
    const toSend = approval === undefined ? open : open.filter(approval.covers)
    const isAsked = person !== undefined && (again || rules.confirm !== "off")
    // The claim of an only SMS checks them too: before it, they only spare a person, an approval or a part of a batch.
    if (toSend.length > 0 && (!isOnly || isAsked)) {
      const reached = yield* use(({ server }) => server.limit(rules.maxSendsPerHour, toSend.length))
      if (reached !== undefined) return yield* limitReached(reached, toSend.length)
    }
    if (approval !== undefined) return yield* approved(journal, approval, all)
    const needsNobody =
      rules.confirm === "off" || (person === undefined && maySendUnasked(rules, all))
    const doubtful = open.flatMap(doubtUnasked)
    if (!again && needsNobody && (doubtful.length === 0 || person === undefined)) {
      if (doubtful.length > 0) return yield* rowsRefused(doubtful, all.length)
      return { all, approvedBy }
    }
    if (person === undefined) {
      const isAnySent = open.some(({ standing }) => standing.state !== "free" || standing.sent > 0)
      if (again && isAnySent) return yield* againUnavailable(isAutomatic)
      if (needsNobody) return yield* nothingAgain(isAutomatic)
      return yield* firstUnavailable(isAutomatic, rules, isOnly)
    }
    const asked = yield* withSameText(journal, caller, open)
    const others = all.filter((sms) => !isOpen(sms))
    const now = yield* Clock.currentTimeMillis
    return yield* Approval.ask(person, Question.write(asked, others, again, now), all)
  })

  /** What keeps all from being sent is the refusal of the call, and that of some is how these end. */
  return (decision: Approval.Decision, all: ReadonlyArray<KnownSms>, again: boolean) =>
    Effect.catchTag(admit(decision, all, again), "Refusal", (refusal) => {
      if (all.length === 1 || all.every(isOpen)) {
        return Effect.fail(about(refusal, ...all.map(({ standing }) => standing)))
      }
      const end = (sms: KnownSms): KnownSms =>
        isOpen(sms) ? { ...sms, end: about(refusal, sms.standing) } : sms
      return Effect.succeed({ all: all.map(end), approvedBy: "none" as const })
    })
}
