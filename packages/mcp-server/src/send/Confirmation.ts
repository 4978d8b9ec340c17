/**
 * Asks a person a question, if the client can ask, and reads the decision.
 *
 * Some clients decide by themselves where no person is present. They do so within milliseconds, so a
 * decision that is faster than a person can read is the client's own, and never an approval.
 */
import type { Approval } from "@messaging-topup/journal"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ByResult, Caller, DuringCall } from "./Caller.ts"
import { Notice } from "./Notice.ts"
import { Pending } from "./Pending.ts"
import type { Refusal } from "./Refusal.ts"
import { count } from "../telemetry/Telemetry.ts"
import {
  confirmationCancelled,
  confirmationDeclined,
  confirmationExpired,
  confirmationUnasked,
  declinedAfterApproval
} from "./ApprovalRefusals.ts"
import * as ApprovalState from "./ApprovalState.ts"
import type * as Digest from "./Digest.ts"
import type { ApprovedBy } from "./PlannedSend.ts"
import type { Confirm } from "./Rules.ts"
import { SendMemory } from "./SendMemory.ts"
import { sentences } from "./Text.ts"

export interface ConfirmationOptions {
  /** How long a person may take to decide. */
  readonly confirmTimeout: Duration.Duration
  /** Is called at the first question. */
  readonly key: () => Digest.Key
}

interface Question {
  /** One paragraph without line breaks: a host may show only its first lines. */
  readonly text: string
  readonly subject: ApprovalState.Subject
  /** off: not asked; auto: asked if the client can ask; require: also refused if it cannot. */
  readonly confirm: Confirm
  /** The refusal if a person is required and the client cannot ask one. */
  readonly unavailable: Refusal
}

export interface Decided<A> {
  /** A client that approved by itself cannot ask a person, whatever it declares. */
  readonly caller: Caller
  /** The approval that came with the call, if any, and which of the subjects it is for. */
  readonly approved?: { readonly approval: Approval; readonly subject: A }
}

/** Nobody reads a question and decides in less time. Hosts without a person take about 6 ms. */
const shortestReading = Duration.millis(300)

const refusalOf = (action: string): Refusal =>
  action === "decline" ? confirmationDeclined : confirmationCancelled

const knownActions = new Set(["accept", "decline"])

const advice =
  "where nobody is present, the operator can choose --confirm off with --allow-recipients, and the permission of the host decides"

/** Whether the client decided by itself. Counts the decision, and tells the operator. */
const isUnasked = Effect.fnUntraced(function* (action: string, askedAt: number) {
  const unasked = (yield* Clock.currentTimeMillis) - askedAt < Duration.toMillis(shortestReading)
  const known = knownActions.has(action) ? action : "cancel"
  yield* count("confirmations", unasked ? "unasked" : known)
  if (unasked) {
    yield* Effect.annotateLogs(
      Effect.logWarning("the client decided by itself, and asked nobody"),
      { action: known, advice }
    )
  }
  return unasked
})

export class Confirmation extends Context.Service<
  Confirmation,
  {
    /**
     * Returns the approval that came with the call, if any. Fails if the person declined, or if the
     * approval is for none of the subjects.
     */
    readonly decided: <A extends string>(
      caller: Caller,
      subjects: Readonly<Record<A, ApprovalState.Subject>>
    ) => Effect.Effect<Decided<A>, Refusal>
    /** Returns the question for the client, or who approved. */
    readonly ask: (
      caller: Caller,
      question: Question
    ) => Effect.Effect<ApprovedBy | Pending, Refusal>
  }
>()("@messaging-topup/mcp-server/send/Confirmation") {
  static readonly layer = (
    options: ConfirmationOptions
  ): Layer.Layer<Confirmation, never, SendMemory> => Layer.effect(Confirmation, make(options))
}

const make = Effect.fnUntraced(function* ({ confirmTimeout, key }: ConfirmationOptions) {
  const memory = yield* SendMemory
  const approvals = yield* Effect.cached(
    Effect.sync(() => ApprovalState.make(key(), confirmTimeout))
  )

  const askByResult = Effect.fnUntraced(function* (
    asking: ByResult,
    { subject }: Question,
    message: string
  ) {
    const { mint } = yield* approvals
    return new Pending({ message, state: yield* mint(asking, subject) })
  })

  const askDuringCall = Effect.fnUntraced(function* (
    { ask }: DuringCall,
    { confirm, unavailable }: Question,
    message: string
  ): Effect.fn.Return<ApprovedBy, Refusal> {
    const askedAt = yield* Clock.currentTimeMillis
    const action = yield* ask(message, confirmTimeout)
    if (yield* isUnasked(action, askedAt)) {
      if (action !== "accept") return yield* confirmationUnasked
      return confirm === "require" ? yield* unavailable : "none"
    }
    if (action !== "accept") return yield* refusalOf(action)
    // If the machine slept meanwhile, the timer stopped and the clock did not.
    const decidedAt = yield* Clock.currentTimeMillis
    if (decidedAt - askedAt > Duration.toMillis(confirmTimeout)) return yield* confirmationExpired
    return "person"
  })

  return Confirmation.of({
    decided: Effect.fnUntraced(function* <A extends string>(
      caller: Caller,
      subjects: Readonly<Record<A, ApprovalState.Subject>>
    ): Effect.fn.Return<Decided<A>, Refusal> {
      const { asking } = caller
      if (asking?._tag !== "ByResult" || asking.action === undefined) {
        return { caller }
      }
      const { verify } = yield* approvals
      const { askedAt, ...approved } = yield* verify(asking, subjects)
      const { action } = asking
      const unasked = yield* isUnasked(action, askedAt)
      if (action === "accept" && !unasked) return { caller, approved }
      // The same question may have been approved before, and the SMS sent.
      const before = yield* memory.redeem(approved.approval, false)
      if (before === "approved") return yield* declinedAfterApproval
      if (action !== "accept") return yield* unasked ? confirmationUnasked : refusalOf(action)
      return { caller: { ...caller, asking: undefined } }
    }),
    ask: Effect.fnUntraced(function* (caller, question) {
      const { confirm, text, unavailable } = question
      if (confirm === "off") return "none"
      const { asking } = caller
      if (asking === undefined) return confirm === "require" ? yield* unavailable : "none"
      const message = sentences(yield* Notice, text)
      return yield* asking._tag === "ByResult"
        ? askByResult(asking, question, message)
        : askDuringCall(asking, question, message)
    })
  })
})
