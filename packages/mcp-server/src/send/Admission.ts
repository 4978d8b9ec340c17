/** Whether the SMS of a call that are open may be sent: within the limit, and by whose approval. */
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { isNamed } from "../AllowList.ts"
import * as Approval from "./Approval.ts"
import type { Journal } from "./Journal.ts"
import { doubtsIn } from "./Meant.ts"
import { type PlannedSms, type RefusedRow, rowsRefused } from "./Plan.ts"
import * as Question from "./Question.ts"
import { nothingSent, Refusal } from "./Refusal.ts"
import { approvalOf, limitReached, type Rules } from "./Rules.ts"
import {
  about,
  type ApprovedBy,
  askedOf,
  isAgain,
  isOpen,
  known,
  type KnownSms,
  operatorDecides,
  unsentEnd
} from "./Standing.ts"
import { bothNames } from "../Options.ts"
import { sentences } from "../Sentences.ts"

/** A host may ask, and not show who gets a batch, so the operator lists each of its numbers. One number has passed the list. */
const isListed = ({ allowList = [] }: Rules, all: ReadonlyArray<KnownSms>): boolean =>
  all.length === 1 || all.every(({ request }) => isNamed(allowList, request.recipient))

/** What a client that asks nobody is told of what needs a person. `isUnasked`: it approves by itself. */
const unavailable = (isUnasked: boolean, what: string, next: (client: string) => string) => {
  const [why, client] = isUnasked
    ? [
        "this client approved by itself, faster than a person can read",
        "a client that shows them the question can ask"
      ]
    : ["this client cannot ask one", "a client that supports elicitation can ask"]
  return new Refusal({
    code: "confirmation_unavailable",
    ...nothingSent(`${what} the approval of a person, and ${why}`),
    next: next(client)
  })
}

const againUnavailable = (isUnasked: boolean, isUnknown: boolean, canDecide: boolean) =>
  unavailable(isUnasked, "to send an SMS again needs", (client) =>
    sentences(`Tell the person: ${client}.`, isUnknown ? operatorDecides(canDecide) : "")
  )

/** `again` for what was never sent. */
const nothingAgain = (isUnasked: boolean) =>
  unavailable(
    isUnasked,
    "a call with again needs",
    () => "Nothing of it was sent before: make the same call without again."
  )

/** It does not name --confirm off: a model that can start programs could start the server with it. */
const firstUnavailable = (isUnasked: boolean, { confirm }: Rules, isOnly: boolean) => {
  if (confirm === "require") {
    return unavailable(
      isUnasked,
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
    isUnasked,
    what,
    (client) =>
      `Tell the person the two ways out: ${client}, or the person who runs the server lists ${which} with ${bothNames("allow-recipients")}.`
  )
}

/** A person must be asked, and cannot be: what is said of each SMS. */
class NobodyToAsk extends Data.TaggedError("NobodyToAsk")<{
  readonly refusalOf: (sms: KnownSms) => Refusal
}> {}

/** Somebody may mean it, but nobody is asked whether. */
const doubtRefused = ({ number, request }: PlannedSms, now: number): ReadonlyArray<RefusedRow> => {
  const doubts = doubtsIn(request, now).map(({ field, what }) => `its ${field} has ${what}`)
  if (doubts.length === 0) return []
  const more = doubts.length - Question.maxNamed
  const named = doubts.slice(0, Question.maxNamed)
  const refusal = new Refusal({
    code: "invalid_arguments",
    ...nothingSent(
      [...named, ...(more > 0 ? [`${more} more words may not be meant`] : [])].join("; ")
    ),
    next: "Correct it with the person. If it is meant, only a person who is asked can approve it."
  })
  return [[number, refusal]]
}

/** Those of which the text is doubted, and that the call may send. */
export const doubtful = ({ canDecide, use }: Journal["Service"]) =>
  Effect.fnUntraced(function* (planned: ReadonlyArray<PlannedSms>) {
    const now = yield* Clock.currentTimeMillis
    const keys = planned.map(({ key }) => ({ key, digest: key }))
    const standings = yield* use(({ server }) => server.look(keys))
    return Array.zipWith(planned, standings, (sms, standing) =>
      known(sms, standing, false, { canAsk: false, canDecide })
    )
      .filter(isOpen)
      .flatMap((sms) => doubtRefused(sms, now))
  })

/** Returns what a call may send, and by whose approval, or asks. */
export const make = (rules: Rules, { canDecide, use }: Journal["Service"]) => {
  /** The claim of an only SMS checks the limit again. Before it, nobody is asked in vain, and no batch is sent in part. */
  const checkLimit = Effect.fnUntraced(function* (count: number) {
    const reached = yield* use(({ server }) => server.limit(rules.maxSendsPerHour, count))
    if (reached !== undefined) return yield* limitReached(reached, count)
  })

  /**
   * Adds earlier sends to the same number that are not told as the same SMS: of the same text with another time or
   * sender, or one that no longer counts, and of another text, if it is not known whether it went out.
   */
  const withEarlier = Effect.fnUntraced(function* (
    caller: string,
    open: Array.NonEmptyReadonlyArray<KnownSms>
  ) {
    const found = yield* use(({ server }) => server.earlierSends(caller, open.map(askedOf)))
    return Array.map(open, (sms, at) => ({ ...sms, earlier: found[at] ?? {} }))
  })

  /** What the person approved is sent if it stands as the question told. All others are told as they stand. */
  const approved = Effect.fnUntraced(function* (
    { covers, redeemable }: Extract<Approval.Reply, { readonly _tag: "Approved" }>,
    all: ReadonlyArray<KnownSms>,
    open: Array.NonEmptyReadonlyArray<KnownSms>
  ) {
    const isOnly = all.length === 1
    const covered = new Set(open.filter(covers).map(({ number }) => number))
    if (covered.size > 0) yield* checkLimit(covered.size)
    // The claim of an only SMS redeems it.
    if (!isOnly) {
      const before = yield* use(({ server }) =>
        covered.size > 0 ? server.redeem(redeemable, "approved") : server.redeemed(redeemable)
      )
      if (before !== undefined) return yield* Approval.usedBefore(before)
      if (covered.size === 0) return yield* Approval.approvalInvalid
    }
    const end = (sms: KnownSms): KnownSms =>
      !isOpen(sms) || covered.has(sms.number)
        ? sms
        : {
            ...sms,
            end: unsentEnd(sms.request, sms.standing, Approval.approvalInvalid, {
              canAsk: true,
              canDecide
            })
          }
    return { all: all.map(end), approvedBy: "person" } as const
  })

  /**
   * Returns the person to ask about what is open; undefined if nobody need be asked. Fails if somebody must be, and
   * cannot, with what is said of each SMS. A call with `again` sends nothing without a question, even if nothing is
   * known of its SMS.
   */
  const toAsk = Effect.fnUntraced(function* (
    { _tag, caller: { person } }: Approval.Reply,
    all: ReadonlyArray<KnownSms>,
    open: ReadonlyArray<KnownSms>,
    again: boolean
  ) {
    const approval = approvalOf(rules, person !== undefined)
    const needsNobody = approval === "nobody" || (approval === "list" && isListed(rules, all))
    if (!again && needsNobody) {
      const now = yield* Clock.currentTimeMillis
      const refused = open.flatMap((sms) => doubtRefused(sms, now))
      if (refused.length === 0) return undefined
      if (person === undefined) return yield* rowsRefused(refused, all.length)
    }
    if (person !== undefined) return person
    const isUnasked = _tag === "Unasked"
    const ofUnknown = againUnavailable(isUnasked, true, canDecide)
    const ofSent = againUnavailable(isUnasked, false, canDecide)
    const ofFirst = needsNobody
      ? nothingAgain(isUnasked)
      : firstUnavailable(isUnasked, rules, all.length === 1)
    return yield* new NobodyToAsk({
      refusalOf: ({ standing }) => {
        if (!again || !isAgain(standing)) return ofFirst
        return standing.unknown.length > 0 ? ofUnknown : ofSent
      }
    })
  })

  const admit = Effect.fnUntraced(function* (
    reply: Approval.Reply,
    all: ReadonlyArray<KnownSms>,
    again: boolean
  ) {
    const open = all.filter(isOpen)
    const isOnly = all.length === 1
    const approvedBy: ApprovedBy = reply._tag === "Unasked" ? "client" : "none"
    if (reply._tag === "Refused") return yield* reply.refusal
    if (!Array.isReadonlyArrayNonEmpty(open)) return { all, approvedBy }
    if (reply._tag === "Approved") return yield* approved(reply, all, open)
    const person = yield* toAsk(reply, all, open, again)
    if (!isOnly || person !== undefined) yield* checkLimit(open.length)
    if (person === undefined) return { all, approvedBy }
    const asked = yield* withEarlier(reply.caller.id, open)
    const others = all.filter((sms) => !isOpen(sms))
    const now = yield* Clock.currentTimeMillis
    return yield* Approval.ask(
      person,
      Question.write(asked, others, again, { now, canDecide }),
      all
    )
  })
  /** What keeps all from being sent is the refusal of the call, and that of some is how these end. */
  const refuse = (all: ReadonlyArray<KnownSms>, refusalOf: (sms: KnownSms) => Refusal) => {
    const isWhole = all.length === 1 || all.every(isOpen)
    const [refusal, ...others] = new Set(all.map(refusalOf))
    if (isWhole && refusal !== undefined && others.length === 0) {
      return Effect.fail(about(refusal, canDecide, ...all.map(({ standing }) => standing)))
    }
    const end = (sms: KnownSms): KnownSms =>
      isOpen(sms) ? { ...sms, end: about(refusalOf(sms), canDecide, sms.standing) } : sms
    return Effect.succeed({ all: all.map(end), approvedBy: "none" as const })
  }

  return (reply: Approval.Reply, all: ReadonlyArray<KnownSms>, again: boolean) =>
    Effect.catchTags(admit(reply, all, again), {
      Refusal: (refusal) => refuse(all, () => refusal),
      NobodyToAsk: ({ refusalOf }) => refuse(all, refusalOf)
    })
}
