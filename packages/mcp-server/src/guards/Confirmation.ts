/**
 * Asks a person before an SMS is sent, where the client can ask.
 *
 * The question leaves with a signed state and comes back with the answer, on this server or on
 * another one with the same key. The state is bound to the arguments and the principal, it expires,
 * and it is used up by its first answer, whichever that is.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  createRequestStateCodec,
  inputRequired,
  type InputRequiredResult,
  inputResponse
} from "@modelcontextprotocol/server"
import { type Call, principalOfCall } from "../Call.ts"
import { Notice, noticed } from "../Notice.ts"
import { Refusal } from "../Refusal.ts"
import * as Digest from "./Digest.ts"
import * as Question from "./Question.ts"
import { SendMemory } from "./SendMemory.ts"

export type Mode = "auto" | "require" | "off"

export interface ConfirmationOptions {
  readonly mode: Mode
  /** How long a question may wait for its answer. */
  readonly within: Duration.Duration
  readonly key: Digest.Key
}

/** `Approved` by a person, `NotAsked` where that is allowed, or the question to put. */
export type Verdict =
  | { readonly _tag: "Approved" }
  | { readonly _tag: "NotAsked" }
  | { readonly _tag: "Ask"; readonly question: InputRequiredResult }

const State = Schema.Struct({ digest: Schema.String, nonce: Schema.String })

const decodeState = Schema.decodeUnknownResult(State)

const inputKey = "confirm"

const refuse = (code: string, why: string, next: string) =>
  Effect.fail(new Refusal({ code, text: `The SMS was not sent: ${why} ${next}` }))

const askAnew = "Call send_sms again without a state, so that the person is asked anew."

const cannotAsk = (again: boolean) =>
  again
    ? refuse(
        "confirmation_unavailable",
        "an earlier send of it has an unknown outcome, a second one needs the yes of a person, and this client cannot ask one.",
        "Tell the person: a client that supports elicitation can ask."
      )
    : refuse(
        "confirmation_unavailable",
        "this server sends only what a person confirmed, and this client cannot ask one.",
        "The person can use a client that supports elicitation, or run the server with --confirm auto."
      )

export class Confirmation extends Context.Service<
  Confirmation,
  {
    /** `again`: a second send of a message whose first one is unknown. It is always asked for. */
    readonly check: (
      call: Call,
      request: SendSmsRequest,
      again: boolean
    ) => Effect.Effect<Verdict, Refusal>
  }
>()("@messaging-topup/mcp-server/guards/Confirmation") {
  static readonly layer = (
    options: ConfirmationOptions
  ): Layer.Layer<Confirmation, never, SendMemory> => Layer.effect(Confirmation, make(options))
}

const make = Effect.fnUntraced(function* ({ key, mode, within }: ConfirmationOptions) {
  const memory = yield* SendMemory
  const withinMillis = Duration.toMillis(within)
  const codec = createRequestStateCodec({
    key,
    ttlSeconds: withinMillis / 1000,
    bind: (context) => principalOfCall(context)
  })

  const ask = Effect.fnUntraced(function* (call: Call, request: SendSmsRequest, again: boolean) {
    const notice = yield* Notice
    const state = { digest: Digest.ofApproval(key, request, again), nonce: crypto.randomUUID() }
    const requestState = yield* Effect.promise(() => codec.mint(state, call.context))
    const message = noticed(notice, Question.write(request, again))
    // Nothing to fill in: the form's own yes or no is the answer.
    const question = inputRequired.elicit({
      message,
      requestedSchema: { type: "object", properties: {} }
    })
    return {
      _tag: "Ask",
      question: inputRequired({ inputRequests: { [inputKey]: question }, requestState })
    } as const
  })

  const verify = Effect.fnUntraced(function* (
    call: Call,
    request: SendSmsRequest,
    again: boolean,
    text: string
  ) {
    const payload = yield* Effect.tryPromise({
      try: () => codec.verify(text, call.context),
      catch: (error) => (error instanceof Error ? error.message : "malformed")
    }).pipe(
      Effect.catch((reason) =>
        reason === "expired"
          ? refuse("approval_expired", "the approval came too late.", askAnew)
          : refuse(
              "approval_invalid",
              "the approval is not one that this server asked for.",
              askAnew
            )
      )
    )
    const state = decodeState(payload)
    if (
      Result.isFailure(state) ||
      state.success.digest !== Digest.ofApproval(key, request, again)
    ) {
      return yield* refuse(
        "approval_mismatch",
        "the approval was given for other arguments.",
        askAnew
      )
    }
    const now = yield* Clock.currentTimeMillis
    if (!(yield* memory.redeem(state.success.nonce, now + withinMillis))) {
      return yield* refuse("approval_used", "the approval was used before.", askAnew)
    }
  })

  const check = Effect.fnUntraced(function* (
    call: Call,
    request: SendSmsRequest,
    again: boolean
  ): Effect.fn.Return<Verdict, Refusal> {
    if (mode === "off" && !again) return { _tag: "NotAsked" }
    if (!call.canBeAsked) {
      return mode === "require" || again ? yield* cannotAsk(again) : { _tag: "NotAsked" }
    }
    const { mcpReq } = call.context
    const response = inputResponse(mcpReq.inputResponses, inputKey)
    if (response.kind !== "elicit") return yield* ask(call, request, again)
    yield* verify(call, request, again, mcpReq.requestState<string>() ?? "")
    switch (response.action) {
      case "accept":
        return { _tag: "Approved" }
      case "decline":
        return yield* refuse(
          "confirmation_declined",
          "the person said no.",
          "Do not call again unless the person asks for it."
        )
      case "cancel":
        return yield* refuse(
          "confirmation_cancelled",
          "the person closed the question without an answer.",
          "Ask the person what to do."
        )
    }
  })

  return Confirmation.of({ check })
})
