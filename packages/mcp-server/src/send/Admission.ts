/** Whether the SMS of a call that are open may be sent: within the limits, and by whose approval. */
import * as Effect from "effect/Effect"
import { bothNames } from "../Options.ts"
import * as Approval from "./Approval.ts"
import type { Journal } from "./Journal.ts"
import * as Question from "./Question.ts"
import { nothingSent, Refusal } from "./Refusal.ts"
import { limitReached, type Rules } from "./Rules.ts"
import * as Standing from "./Standing.ts"

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

/** No option is named: a model that can start programs could start the server with it. The documentation names it. */
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
    `Tell the person: ${client.other}. What went out counts as sent for 20 hours: after that, the same call without again sends it. About an unknown one, the person who runs the server decides with messaging-topup resolve --id.`
  )

/** A first send, where the operator named no recipient. */
const recipientsUnlisted = (client: Client) =>
  unavailable(
    "a number that the person who runs the server did not list needs",
    client,
    `Tell the person the two ways out: ${client.other}, or the person who runs the server lists the numbers with ${bothNames("allow-recipients")}.`
  )

/** The open SMS of a call may be sent. */
interface Admitted {
  readonly _tag: "Admitted"
  readonly approvedBy: Standing.ApprovedBy
  /** Whether an SMS that another call is sending may be sent, too, if it is free then. */
  readonly covers: (sms: Standing.SortedSms) => boolean
}

const admittedBy = (
  approvedBy: Standing.ApprovedBy,
  covers: Admitted["covers"] = () => false
): Admitted => ({ _tag: "Admitted", approvedBy, covers })

/**
 * Returns who approved what is open, or the question. A call with `again` is never unasked, even if nothing is
 * known of its SMS.
 */
export const make = (rules: Rules, use: Journal["Service"]["use"]) =>
  Effect.fnUntraced(function* (
    { approval, caller, isAutomatic, refusal }: Approval.Decision,
    sorted: ReadonlyArray<Standing.SortedSms>,
    again: boolean
  ): Effect.fn.Return<Admitted | Approval.Pending, Refusal> {
    const open = Standing.openOf(sorted)
    const isOnly = sorted.length === 1
    if (refusal !== undefined)
      return yield* open.length === 0 ? Effect.succeed(admittedBy("none")) : refusal
    const { asking } = caller
    const isAsked = asking !== undefined && (again || rules.confirm !== "off")
    // The claim of an only SMS checks them too: before it, they only spare a person or a part of a batch.
    if (open.length > 0 && (!isOnly || isAsked)) {
      const reached = yield* use(({ server }) => server.limit(rules.maxSendsPerHour, open.length))
      if (reached !== undefined) return yield* limitReached(reached, open.length)
    }
    if (approval !== undefined) {
      const covers = ({ end, sms }: Standing.SortedSms) =>
        approval.isForCall &&
        approval.rows.has(sms.number) &&
        (end._tag === "Open" || end._tag === "Elsewhere")
      if (!open.every(covers)) return yield* Approval.approvalInvalid
      if (isOnly || !sorted.some(covers)) return admittedBy("person", covers)
      const before = yield* use(({ server }) => server.redeem(approval.redeemable, true))
      if (before === undefined) return admittedBy("person", covers)
      return yield* Approval.usedBefore(before === "approved")
    }
    if (!again && rules.confirm === "off") return admittedBy("none", () => true)
    const isUnasked = asking === undefined && !again && rules.confirm === "auto" && rules.isListed
    if (isUnasked || open.length === 0) return admittedBy("none", () => isUnasked)
    if (asking === undefined) {
      const client = isAutomatic === true ? clients.automatic : clients.mute
      if (again) return yield* againUnavailable(client)
      return yield* rules.confirm === "require"
        ? confirmationRequired(client)
        : recipientsUnlisted(client)
    }
    return yield* Approval.ask(asking, Question.write(open, sorted.length, again), sorted)
  })
