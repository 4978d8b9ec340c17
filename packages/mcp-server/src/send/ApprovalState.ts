/**
 * The state of a question that is asked by a result. It is sent with the question. The client returns it
 * with the decision, to this server or to a replica with the same key.
 *
 * It is signed, bound to the subject and the principal, and expires. `SendMemory` ensures that it
 * is used once.
 */
import type { Approval } from "@messaging-topup/journal"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { ByResult } from "./Caller.ts"
import * as Digest from "./Digest.ts"
import { approvalMismatch } from "./ApprovalRefusals.ts"

/** What a person approves, in every detail: the approval is valid for nothing else. */
export type Subject = ReadonlyArray<string | null>

const State = Schema.Struct({
  digest: Schema.String,
  nonce: Schema.String,
  askedAt: Schema.Finite
})

const decodeState = Schema.decodeUnknownResult(State)

export const make = (key: Digest.Key, timeout: Duration.Duration) => {
  const timeoutMillis = Duration.toMillis(timeout)

  const mint = Effect.fnUntraced(function* ({ seal }: ByResult, subject: Subject) {
    const state: typeof State.Type = {
      digest: Digest.ofApproval(key, subject),
      nonce: crypto.randomUUID(),
      askedAt: yield* Clock.currentTimeMillis
    }
    return yield* seal(state)
  })

  /** Returns which of the subjects the state is for. */
  const verify = Effect.fnUntraced(function* <A extends string>(
    { unseal }: ByResult,
    subjects: Readonly<Record<A, Subject>>
  ) {
    const state = decodeState(yield* unseal)
    if (Result.isFailure(state)) return yield* approvalMismatch
    const { askedAt, digest, nonce } = state.success
    const subject = Struct.keys(subjects).find(
      (each) => digest === Digest.ofApproval(key, subjects[each])
    )
    if (subject === undefined) return yield* approvalMismatch
    const now = yield* Clock.currentTimeMillis
    const approval: Approval = { nonce, expiresAt: now + timeoutMillis }
    return { subject, approval, askedAt }
  })

  return { mint, verify }
}
