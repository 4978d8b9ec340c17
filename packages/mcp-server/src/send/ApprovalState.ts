/**
 * The state of a question to a modern client. It is sent with the question. The client returns it with
 * the decision, to this server or to a replica with the same key.
 *
 * It is signed, bound to the arguments and the principal, and expires. `SendMemory` ensures that it
 * is used once.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import type { Approval } from "@messaging-topup/journal"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createRequestStateCodec } from "@modelcontextprotocol/server"
import { type Caller, identityOfContext } from "./Caller.ts"
import * as Digest from "./Digest.ts"
import { approvalExpired, approvalInvalid, approvalMismatch } from "./ApprovalRefusals.ts"
import type { SendKind } from "./PlannedSend.ts"

const State = Schema.Struct({ digest: Schema.String, nonce: Schema.String })

const kinds: ReadonlyArray<SendKind> = ["first", "resend", "copy", "again"]

const decodeState = Schema.decodeUnknownResult(State)

export const make = (key: Digest.Key, timeout: Duration.Duration) => {
  const timeoutMillis = Duration.toMillis(timeout)
  const codec = createRequestStateCodec({
    key,
    ttlSeconds: timeoutMillis / 1000,
    bind: (context) => identityOfContext(context).principal
  })

  const mint = (caller: Caller, request: SendSmsRequest, kind: SendKind) =>
    Effect.promise(() =>
      codec.mint(
        { digest: Digest.ofApproval(key, request, kind), nonce: crypto.randomUUID() },
        caller.context
      )
    )

  /** Checks the state against the arguments, and returns which kind of send was approved. */
  const verify = Effect.fnUntraced(function* (caller: Caller, request: SendSmsRequest) {
    const text = caller.context.mcpReq.requestState()
    const payload = yield* Effect.tryPromise({
      try: () => codec.verify(typeof text === "string" ? text : "", caller.context),
      catch: (error) =>
        error instanceof Error && error.message === "expired" ? approvalExpired : approvalInvalid
    })
    const state = decodeState(payload)
    if (Result.isFailure(state)) return yield* approvalMismatch
    const { digest } = state.success
    const kind = kinds.find((each) => digest === Digest.ofApproval(key, request, each))
    if (kind === undefined) return yield* approvalMismatch
    const now = yield* Clock.currentTimeMillis
    const approval: Approval = { nonce: state.success.nonce, expiresAt: now + timeoutMillis }
    return { kind, approval }
  })

  return { mint, verify }
}
