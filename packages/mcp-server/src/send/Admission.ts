/** Whether the SMS of a call that are open may be sent: within the limits, and by whose approval. */
import { longestOf } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import { bothNames } from "../Options.ts"
import * as Approval from "./Approval.ts"
import type { Journal } from "./Journal.ts"
import * as Question from "./Question.ts"
import { nothingSent, Refusal } from "./Refusal.ts"
import { limitReached, limitsOf, type Rules } from "./Rules.ts"
import * as Standing from "./Standing.ts"

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
const confirmationRequired = unavailable(
  "each send of this server needs",
  `${anotherClient} ${operator}.`
)

/** A call with `again`. */
const againUnavailable = unavailable(
  "to send an SMS again needs",
  `${anotherClient} When the duplicate window is over, the same call without again sends what went out; the person who runs the server sets it with ${bothNames("duplicate-window")}, and decides about an unknown one with messaging-topup resolve --id.`
)

/** A first send, where the operator named no recipient. */
const recipientsUnlisted = unavailable(
  "a number that the person who runs the server did not list needs",
  `Tell the person the two ways out: a client that supports elicitation can ask, or the person who runs the server lists the numbers with ${bothNames("allow-recipients")}.`
)

/** The open SMS of a call may be sent. */
interface Admitted {
  readonly _tag: "Admitted"
  readonly approvedBy: Standing.ApprovedBy
}

const admittedBy = (approvedBy: Standing.ApprovedBy): Admitted => ({ _tag: "Admitted", approvedBy })

/**
 * Returns who approved what is open, or the question. A call with `again` is never unasked, even if nothing is
 * known of its SMS.
 */
export const make = (rules: Rules, use: Journal["Service"]["use"]) => {
  const limits = limitsOf(rules)
  return Effect.fnUntraced(function* (
    { approval, caller, refusal }: Approval.Decision,
    sorted: ReadonlyArray<Standing.SortedSms>,
    again: boolean
  ): Effect.fn.Return<Admitted | Approval.Pending, Refusal> {
    const open = Standing.openOf(sorted)
    const isOnly = sorted.length === 1
    if (open.length === 0) return admittedBy("none")
    if (refusal !== undefined) return yield* refusal
    const { asking } = caller
    const isUnasked = asking === undefined || (!again && rules.confirm === "off")
    // The claim of an only SMS checks them too: before it, they only spare a person or a part of a batch.
    if (!isOnly || approval !== undefined || !isUnasked) {
      const amount = {
        caller: caller.id,
        messages: open.length,
        segments: open.reduce((sum, { sms }) => sum + sms.segments, 0)
      }
      const reached = longestOf(yield* use(({ server }) => server.usage(limits, amount)))
      if (reached !== undefined) return yield* limitReached(reached, open.length)
    }
    if (approval !== undefined) {
      const isCovered = open.every(({ sms }) => approval.rows.has(sms.number))
      if (!approval.isForCall || !isCovered) return yield* Approval.approvalInvalid
      if (isOnly) return admittedBy("person")
      const before = yield* use(({ server }) => server.redeem(approval.redeemable, true))
      if (before === undefined) return admittedBy("person")
      return yield* Approval.usedBefore(before === "approved")
    }
    if (!again && rules.confirm === "off") return admittedBy("none")
    if (asking === undefined) {
      if (again) return yield* againUnavailable
      if (rules.confirm === "require") return yield* confirmationRequired
      return yield* rules.isListed ? Effect.succeed(admittedBy("none")) : recipientsUnlisted
    }
    return yield* Approval.ask(asking, Question.write(open, sorted.length, again), sorted)
  })
}
