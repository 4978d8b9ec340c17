/**
 * Asks a person before an SMS is sent, where the client can ask.
 *
 * A modern client gets the question as the answer of its call, and calls again with the person's
 * word. An older one is asked in the middle of its call.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import {
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  SdkError,
  SdkErrorCode
} from "@modelcontextprotocol/server"
import type { Call } from "../Call.ts"
import { Notice, noticed } from "../Notice.ts"
import { Refusal } from "../Refusal.ts"
import * as Approvals from "./Approvals.ts"
import type * as Digest from "./Digest.ts"
import * as Question from "./Question.ts"
import { approvalUsed } from "./Refusals.ts"
import { type Approval, SendMemory } from "./SendMemory.ts"

export type Mode = "auto" | "require" | "off"

export interface ConfirmationOptions {
  readonly mode: Mode
  /** How long a question may wait for its answer. */
  readonly within: Duration.Duration
  readonly key: Digest.Key
}

export interface Approved {
  readonly approval: Approval
  /** Whether the person knew that it may be a second send. */
  readonly again: boolean
}

const inputKey = "confirm"

// Nothing to fill in: the form's own yes or no is the answer.
const emptyForm = { type: "object", properties: {} } as const

const refusal = (code: string, why: string, next: string): Refusal =>
  new Refusal({ code, text: `The SMS was not sent: ${why} ${next}` })

const cannotAsk = (again: boolean) =>
  again
    ? refusal(
        "confirmation_unavailable",
        "an earlier send of it has an unknown outcome, a second one needs the yes of a person, and this client cannot ask one.",
        "Tell the person: a client that supports elicitation can ask."
      )
    : refusal(
        "confirmation_unavailable",
        "this server sends only what a person confirmed, and this client cannot ask one.",
        "The person can use a client that supports elicitation, or run the server with --confirm auto."
      )

const declined = refusal(
  "confirmation_declined",
  "the person said no.",
  "Do not call again unless the person asks for it."
)

const closed = refusal(
  "confirmation_cancelled",
  "the person closed the question without an answer.",
  "Ask the person what to do."
)

const unanswered = refusal(
  "approval_expired",
  "nobody answered the question in time.",
  "Ask the person what to do."
)

/** What the client said instead could be anything. */
const unasked = refusal(
  "confirmation_failed",
  "the client did not put the question to a person.",
  "Tell the person; the log of the client may say why."
)

export class Confirmation extends Context.Service<
  Confirmation,
  {
    /** The person's yes that a call brings along, where it brings an answer; a no is a refusal. */
    readonly answerOf: (
      call: Call,
      request: SendSmsRequest
    ) => Effect.Effect<Option.Option<Approved>, Refusal>
    /**
     * The question to put, or nothing where the send may go on: a person said yes, or need not be
     * asked. `again`: a second send of a message whose first one is unknown, which is always asked.
     */
    readonly ask: (
      call: Call,
      request: SendSmsRequest,
      again: boolean
    ) => Effect.Effect<Option.Option<InputRequiredResult>, Refusal>
  }
>()("@messaging-topup/mcp-server/guards/Confirmation") {
  static readonly layer = (
    options: ConfirmationOptions
  ): Layer.Layer<Confirmation, never, SendMemory> => Layer.effect(Confirmation, make(options))
}

const messageOf = (request: SendSmsRequest, again: boolean) =>
  Effect.map(Notice, (notice) => noticed(notice, Question.write(request, again)))

const make = Effect.fnUntraced(function* ({ key, mode, within }: ConfirmationOptions) {
  const memory = yield* SendMemory
  const approvals = Approvals.make(key, within)

  const asAnswer = Effect.fnUntraced(function* (
    call: Call,
    request: SendSmsRequest,
    again: boolean
  ) {
    const message = yield* messageOf(request, again)
    const requestState = yield* approvals.mint(call, request, again)
    const question = inputRequired.elicit({ message, requestedSchema: emptyForm })
    return Option.some(inputRequired({ inputRequests: { [inputKey]: question }, requestState }))
  })

  /**
   * The SDK could do both eras with one answer, but it tells the model in its own words when an older
   * client fails to ask, and repeats the client's.
   */
  const inTheCall = Effect.fnUntraced(function* (
    { context }: Call,
    request: SendSmsRequest,
    again: boolean
  ) {
    const message = yield* messageOf(request, again)
    const askedAt = yield* Clock.currentTimeMillis
    const { action } = yield* Effect.tryPromise({
      try: (signal) =>
        context.mcpReq.send(
          { method: "elicitation/create", params: { message, requestedSchema: emptyForm } },
          { signal, timeout: Duration.toMillis(within) }
        ),
      catch: (error) =>
        error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout
          ? unanswered
          : unasked
    })
    if (action === "decline") return yield* declined
    if (action === "cancel") return yield* closed
    // A machine that slept in between stopped the timer, and not the clock.
    const answeredAt = yield* Clock.currentTimeMillis
    return answeredAt - askedAt > Duration.toMillis(within) ? yield* unanswered : Option.none()
  })

  return Confirmation.of({
    answerOf: Effect.fnUntraced(function* (call, request) {
      const response = inputResponse(call.context.mcpReq.inputResponses, inputKey)
      const isAnswer = call.isModern && call.canBeAsked && response.kind === "elicit"
      if (!isAnswer) return Option.none()
      const approved = yield* approvals.verify(call, request)
      if (response.action === "accept") return Option.some(approved)
      // Where a yes came before, its SMS may be on its way.
      if (!(yield* memory.redeem(approved.approval))) return yield* approvalUsed
      return yield* response.action === "decline" ? declined : closed
    }),
    ask: (call, request, again) => {
      if (mode === "off" && !again) return Effect.succeedNone
      if (call.canBeAsked) {
        return call.isModern ? asAnswer(call, request, again) : inTheCall(call, request, again)
      }
      return mode === "require" || again ? Effect.fail(cannotAsk(again)) : Effect.succeedNone
    }
  })
})
