/**
 * Asks a person before an SMS is sent, if the client can ask.
 *
 * A modern client receives the question as the result of its call, and calls again with the decision.
 * A legacy client receives it as a request while its call is running.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import type { Approval } from "@messaging-topup/journal"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import {
  inputRequired,
  type InputRequiredResult,
  SdkError,
  SdkErrorCode
} from "@modelcontextprotocol/server"
import type { Caller } from "./Caller.ts"
import { Notice } from "./Notice.ts"
import type { Refusal } from "./Refusal.ts"
import { count } from "../telemetry/Telemetry.ts"
import {
  confirmationCancelled,
  confirmationDeclined,
  confirmationExpired,
  confirmationFailed,
  confirmationUnavailable,
  declinedAfterApproval
} from "./ApprovalRefusals.ts"
import * as ApprovalState from "./ApprovalState.ts"
import type { SendKind } from "./PlannedSend.ts"
import type * as Digest from "./Digest.ts"
import * as Question from "./Question.ts"
import type { RulesOf } from "./Rules.ts"
import { SendMemory } from "./SendMemory.ts"
import { sentences } from "./Text.ts"

interface ConfirmationOptions {
  readonly rulesOf: RulesOf
  /** How long a person may take to decide. */
  readonly confirmTimeout: Duration.Duration
  readonly key: Digest.Key
}

interface Approved {
  readonly approval: Approval
  /** The kind of send that the person approved. */
  readonly kind: SendKind
}

const inputKey = "confirm"

// The form has no fields: accepting or declining it is the decision.
const emptyForm = { type: "object", properties: {} } as const

/**
 * The decision that a client returns. The SDK's own schema drops an unknown action, and the person
 * would be asked again. Here, every action but "accept" is a refusal.
 */
const Decision = Schema.Struct({
  action: Schema.String,
  content: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)))
})

const decodeDecision = Schema.decodeUnknownOption(Decision)

const standardDecision = Schema.toStandardSchemaV1(Decision)

const refusalOf = (action: string): Refusal =>
  action === "decline" ? confirmationDeclined : confirmationCancelled

const knownActions = new Set(["accept", "decline"])

const countDecision = (action: string) =>
  count("confirmations", knownActions.has(action) ? action : "cancel")

export class Confirmation extends Context.Service<
  Confirmation,
  {
    /** Returns the approval that was sent with the call, if any. Fails if the person declined. */
    readonly approvalOf: (
      caller: Caller,
      request: SendSmsRequest
    ) => Effect.Effect<Option.Option<Approved>, Refusal>
    /**
     * Returns the question for the client, or nothing if the send may go on: a person approved it, or
     * need not be asked. Every kind but a first send always needs an approval. `unresolved` says that
     * the outcome of an earlier send of the same SMS is still unknown.
     */
    readonly ask: (
      caller: Caller,
      request: SendSmsRequest,
      kind: SendKind,
      unresolved: boolean
    ) => Effect.Effect<Option.Option<InputRequiredResult>, Refusal>
  }
>()("@messaging-topup/mcp-server/send/Confirmation") {
  static readonly layer = (
    options: ConfirmationOptions
  ): Layer.Layer<Confirmation, never, SendMemory> => Layer.effect(Confirmation, make(options))
}

const make = Effect.fnUntraced(function* ({ confirmTimeout, key, rulesOf }: ConfirmationOptions) {
  const memory = yield* SendMemory
  const approvals = ApprovalState.make(key, confirmTimeout)

  const askByResult = Effect.fnUntraced(function* (
    caller: Caller,
    request: SendSmsRequest,
    kind: SendKind,
    message: string
  ) {
    const requestState = yield* approvals.mint(caller, request, kind)
    const question = inputRequired.elicit({ message, requestedSchema: emptyForm })
    return inputRequired({ inputRequests: { [inputKey]: question }, requestState })
  })

  /**
   * The SDK could ask clients of both eras. But if a legacy client fails to ask, the SDK shows the
   * model a text of its own that repeats the client's error.
   */
  const askByRequest = Effect.fnUntraced(function* ({ context }: Caller, message: string) {
    const askedAt = yield* Clock.currentTimeMillis
    const { action } = yield* Effect.tryPromise({
      try: (signal) =>
        context.mcpReq.send(
          { method: "elicitation/create", params: { message, requestedSchema: emptyForm } },
          standardDecision,
          { signal, timeout: Duration.toMillis(confirmTimeout) }
        ),
      catch: (error) =>
        error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout
          ? confirmationExpired
          : confirmationFailed
    })
    yield* countDecision(action)
    if (action !== "accept") return yield* refusalOf(action)
    // If the machine slept meanwhile, the timer stopped and the clock did not.
    const decidedAt = yield* Clock.currentTimeMillis
    if (decidedAt - askedAt > Duration.toMillis(confirmTimeout)) return yield* confirmationExpired
    return undefined
  })

  return Confirmation.of({
    approvalOf: Effect.fnUntraced(function* (caller, request) {
      const decision = decodeDecision(caller.context.mcpReq.inputResponses?.[inputKey])
      if (!caller.isModern || !caller.canBeAsked || Option.isNone(decision)) return Option.none()
      const approved = yield* approvals.verify(caller, request)
      const { action } = decision.value
      yield* countDecision(action)
      if (action === "accept") return Option.some(approved)
      // The same question may have been approved before, and the SMS sent.
      const before = yield* memory.redeem(approved.approval)
      return yield* before === "approved" ? declinedAfterApproval : refusalOf(action)
    }),
    ask: Effect.fnUntraced(function* (caller, request, kind, unresolved) {
      const { option, value: confirm } = rulesOf(caller).confirm
      if (confirm === "off" && kind === "first") return Option.none()
      if (caller.canBeAsked) {
        const message = sentences(yield* Notice, Question.write(request, kind, unresolved))
        if (caller.isModern) return Option.some(yield* askByResult(caller, request, kind, message))
        yield* askByRequest(caller, message)
      } else if (confirm === "require" || kind !== "first") {
        return yield* confirmationUnavailable({ kind, isRequired: confirm === "require", option })
      }
      return Option.none()
    })
  })
})
