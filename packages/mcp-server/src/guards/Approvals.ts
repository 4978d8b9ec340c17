/**
 * A question's way to a modern client and back, on this server or on another one with the same key.
 *
 * The state that goes with it is signed, bound to the arguments and the principal, and expires. That
 * it is used once is for `SendMemory` to see.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createRequestStateCodec } from "@modelcontextprotocol/server"
import { type Call, principalOfCall } from "../Call.ts"
import { Refusal } from "../Refusal.ts"
import * as Digest from "./Digest.ts"
import type { Approval } from "./SendMemory.ts"

const State = Schema.Struct({ digest: Schema.String, nonce: Schema.String })

const decodeState = Schema.decodeUnknownResult(State)

const refuse = (code: string, why: string) =>
  Effect.fail(
    new Refusal({
      code,
      text: `The SMS was not sent: ${why} Call send_sms again without a state, so that the person is asked anew.`
    })
  )

export const make = (key: Digest.Key, within: Duration.Duration) => {
  const withinMillis = Duration.toMillis(within)
  const codec = createRequestStateCodec({
    key,
    ttlSeconds: withinMillis / 1000,
    bind: (context) => principalOfCall(context)
  })

  const mint = (call: Call, request: SendSmsRequest, again: boolean) =>
    Effect.promise(() =>
      codec.mint(
        { digest: Digest.ofApproval(key, request, again), nonce: crypto.randomUUID() },
        call.context
      )
    )

  /** What was approved: the arguments, and whether it may be a second send. */
  const verify = Effect.fnUntraced(function* (call: Call, request: SendSmsRequest) {
    const text = call.context.mcpReq.requestState()
    const payload = yield* Effect.tryPromise({
      try: () => codec.verify(typeof text === "string" ? text : "", call.context),
      catch: (error) => (error instanceof Error ? error.message : "malformed")
    }).pipe(
      Effect.catch((reason) =>
        reason === "expired"
          ? refuse("approval_expired", "the approval came too late.")
          : refuse("approval_invalid", "the approval is not one that this server asked for.")
      )
    )
    const state = decodeState(payload)
    const digest = Result.isSuccess(state) ? state.success.digest : ""
    const again = digest === Digest.ofApproval(key, request, true)
    if (Result.isFailure(state) || (!again && digest !== Digest.ofApproval(key, request, false))) {
      return yield* refuse("approval_mismatch", "the approval was given for other arguments.")
    }
    const now = yield* Clock.currentTimeMillis
    const approval: Approval = { nonce: state.success.nonce, expiresAtMillis: now + withinMillis }
    return { again, approval }
  })

  return { mint, verify }
}
