/**
 * Asks a person a question, if the client can ask, and reads the decision.
 *
 * A question ends its call. Its state is signed, bound to the subject and the principal, and expires. The
 * client returns it with the decision, to this server or to a replica with the same key. The journal
 * ensures that it is used once.
 *
 * Some clients decide by themselves where no person is present. They do so within milliseconds, so a
 * decision that is faster than a person can read is the client's own, and never an approval.
 */
import type { Approval as JournalApproval } from "@messaging-topup/journal"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { count } from "../Telemetry.ts"
import {
  approvalExpired,
  approvalMismatch,
  approvalUsed,
  confirmationCancelled,
  confirmationDeclined,
  confirmationFailed,
  confirmationUnasked,
  declinedAfterApproval,
  declinedBefore
} from "./ApprovalRefusals.ts"
import type { Asking, Caller } from "./Caller.ts"
import type { Refusal } from "./Refusal.ts"
import { State } from "./State.ts"
import { sentences } from "./Text.ts"

/** Who approved a send: a person who was asked by this server, or nobody. */
export type ApprovedBy = "person" | "none"

/** A question to a person that ends its call: the client shows it, and calls again with the decision. */
export class Pending extends Data.Class<{
  readonly message: string
  /** What the client returns with the decision. */
  readonly state: string
}> {}

/** The sentence that starts every result and question of a server, such as that it is the sandbox. */
export const Notice = Context.Reference<string>("@messaging-topup/mcp-server/Notice", {
  defaultValue: () => ""
})

/** What a person approves, in every detail: the approval is valid for nothing else. */
export type Subject = ReadonlyArray<string | null>

/** How long a person may take to decide. */
export const confirmTimeout = Duration.minutes(10)

/** Nobody reads a question and decides in less time. Hosts without a person take about 6 ms. */
const shortestReading = Duration.millis(300)

/** The actions of an adapter that could not ask: nobody decided in time, or the client failed. */
export const notAsked = { expired: "expired", failed: "failed" } as const

const refusalOf = (action: string): Refusal => {
  switch (action) {
    case "decline":
      return confirmationDeclined
    case notAsked.expired:
      return approvalExpired
    case notAsked.failed:
      return confirmationFailed
    default:
      return confirmationCancelled
  }
}

/** The approval of a call was used before. */
export const usedBefore = (wasApproved: boolean): Refusal =>
  wasApproved ? approvalUsed : declinedBefore

const advice =
  "where nobody is present, the operator can choose --confirm off with --allow-recipients, and the permission of the host decides"

/** Whether the client decided by itself. Counts the decision, and tells the operator. */
const isUnasked = Effect.fnUntraced(function* (action: string, millis: number) {
  const unasked = millis < Duration.toMillis(shortestReading)
  const known = action === "accept" || action === "decline" ? action : "cancel"
  yield* count("confirmations", unasked ? "unasked" : known)
  if (unasked) {
    yield* Effect.annotateLogs(
      Effect.logWarning("the client decided by itself, and asked nobody"),
      { action: known, advice }
    )
  }
  return unasked
})

/**
 * The question is bound to this digest. The client that keeps it wrote the arguments, so it needs no key.
 * `node:crypto` takes milliseconds to load, and most servers on stdio never need it.
 */
const digestOf = (subject: Subject): string =>
  process
    .getBuiltinModule("node:crypto")
    .createHash("sha256")
    .update(JSON.stringify(subject))
    .digest("base64url")

const QuestionState = Schema.Struct({
  digest: Schema.String,
  numbers: Schema.Array(Schema.Finite),
  nonce: Schema.String,
  askedAt: Schema.Finite
})

const decodeState = Schema.decodeUnknownResult(QuestionState)

/** The decision that came with a call. */
export type Decision =
  /** Nothing was decided: no question was asked, or the client cannot ask a person, whatever it declares. */
  | { readonly _tag: "None"; readonly caller: Caller }
  | { readonly _tag: "Refused"; readonly refusal: Refusal }
  | {
      readonly _tag: "Approved"
      readonly isFor: (subject: Subject) => boolean
      /** The numbers of the SMS that the question was about. */
      readonly numbers: ReadonlyArray<number>
      /** For the claim of the one send that it is for. */
      readonly approval: JournalApproval
      /** For several sends. Succeeds once. */
      readonly redeem: Effect.Effect<void, Refusal>
    }

/** Reads the decision that came with the call, if any. A refusal uses the question up, as an approval does. */
export const decisionOf = Effect.fnUntraced(function* (
  caller: Caller
): Effect.fn.Return<Decision, Refusal, State> {
  const { asking } = caller
  if (asking?.action === undefined) return { _tag: "None", caller }
  const { action } = asking
  const decoded = decodeState(yield* asking.unseal)
  if (Result.isFailure(decoded)) return yield* approvalMismatch
  const { askedAt, digest, nonce, numbers } = decoded.success
  const { use } = yield* State
  const now = yield* Clock.currentTimeMillis
  const expiresAt = now + Duration.toMillis(confirmTimeout)
  const approval: JournalApproval = { nonce, expiresAt }
  const redeem = (isApproved: boolean) => use(({ server }) => server.redeem(approval, isApproved))
  const unasked = yield* isUnasked(action, now - askedAt)
  if (action === "accept" && !unasked) {
    // If the machine slept meanwhile, timers stopped and the clock did not.
    if (now - askedAt > Duration.toMillis(confirmTimeout)) {
      return { _tag: "Refused", refusal: approvalExpired }
    }
    return {
      _tag: "Approved",
      isFor: (subject) => digestOf(subject) === digest,
      numbers,
      approval,
      redeem: Effect.flatMap(redeem(true), (before) =>
        before === undefined ? Effect.void : usedBefore(before === "approved")
      )
    }
  }
  // The same question may have been approved before, and the SMS sent.
  const before = yield* redeem(false)
  if (before === "approved") return { _tag: "Refused", refusal: declinedAfterApproval }
  if (action === "accept") return { _tag: "None", caller: { ...caller, asking: undefined } }
  return { _tag: "Refused", refusal: unasked ? confirmationUnasked : refusalOf(action) }
})

/** Ends the call with a question. It is one paragraph: a host may show only its first lines. */
export const ask = Effect.fnUntraced(function* (
  asking: Asking,
  text: string,
  subject: Subject,
  numbers: ReadonlyArray<number>
) {
  const state: typeof QuestionState.Type = {
    digest: digestOf(subject),
    numbers,
    nonce: crypto.randomUUID(),
    askedAt: yield* Clock.currentTimeMillis
  }
  return new Pending({ message: sentences(yield* Notice, text), state: yield* asking.seal(state) })
})
