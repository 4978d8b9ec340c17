/**
 * The state of a question to a modern client: it goes out with the question and comes back with the
 * approval, to this server or to a replica with the same key.
 *
 * It is signed, bound to the arguments and the principal, and expires. `SendMemory` sees to it that
 * it is used once.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createRequestStateCodec } from "@modelcontextprotocol/server"
import { type Caller, principalOfContext } from "../Caller.ts"
import { approvalExpired, approvalInvalid, approvalMismatch } from "../Refusal.ts"
import * as Digest from "./Digest.ts"
import type { Approval } from "./SendMemory.ts"

const State = Schema.Struct({ digest: Schema.String, nonce: Schema.String })

const decodeState = Schema.decodeUnknownResult(State)

export const make = (key: Digest.Key, timeout: Duration.Duration) => {
  const timeoutMillis = Duration.toMillis(timeout)
  const codec = createRequestStateCodec({
    key,
    ttlSeconds: timeoutMillis / 1000,
    bind: (context) => principalOfContext(context)
  })

  const mint = (caller: Caller, request: SendSmsRequest, resend: boolean) =>
    Effect.promise(() =>
      codec.mint(
        { digest: Digest.ofApproval(key, request, resend), nonce: crypto.randomUUID() },
        caller.context
      )
    )

  /** What was approved: the arguments, and whether it may be a second send. */
  const verify = Effect.fnUntraced(function* (caller: Caller, request: SendSmsRequest) {
    const text = caller.context.mcpReq.requestState()
    const payload = yield* Effect.tryPromise({
      try: () => codec.verify(typeof text === "string" ? text : "", caller.context),
      catch: (error) =>
        error instanceof Error && error.message === "expired" ? approvalExpired : approvalInvalid
    })
    const state = decodeState(payload)
    const digest = Result.isSuccess(state) ? state.success.digest : ""
    const resend = digest === Digest.ofApproval(key, request, true)
    if (Result.isFailure(state) || (!resend && digest !== Digest.ofApproval(key, request, false))) {
      return yield* approvalMismatch
    }
    const now = yield* Clock.currentTimeMillis
    const approval: Approval = { nonce: state.success.nonce, expiresAtMillis: now + timeoutMillis }
    return { resend, approval }
  })

  return { mint, verify }
}
