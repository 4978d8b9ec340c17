/**
 * Two journals on one database, as in two processes.
 */
import { expect } from "@effect/vitest"
import { SendClaims, SendJournal } from "@messaging-topup/journal"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { request } from "./ClaimRequest.ts"

const sms = { recipient: "+15550101234", message: "Hello" }

/** Expects that both share their limits, approvals and single sends. */
export const expectShared = Effect.fnUntraced(function* <E0>(
  layer: Layer.Layer<SendClaims | SendJournal, E0>
) {
  const replicas = yield* Effect.all([
    Layer.build(Layer.fresh(layer)),
    Layer.build(Layer.fresh(layer))
  ])
  const of = (index: number) => replicas[index % 2 === 0 ? 0 : 1]
  const together = <A, E, R>(
    count: number,
    call: (
      index: number,
      replica: Context.Context<SendClaims | SendJournal>
    ) => Effect.Effect<A, E, R>
  ) =>
    Effect.all(
      Array.from({ length: count }, (_, index) => call(index, of(index))),
      { concurrency: "unbounded" }
    )

  const limits = [{ scope: "all", amount: 1, max: 20, per: Duration.hours(1) }]
  const limited = yield* together(50, (index, replica) =>
    Context.get(replica, SendClaims).claim(request(`limited ${index}`, { limits }))
  )
  expect(limited.filter(({ _tag }) => _tag === "Claimed")).toHaveLength(20)

  const approval = { nonce: "n", expiresAt: Number.MAX_SAFE_INTEGER }
  const approved = yield* together(10, (index, replica) =>
    Context.get(replica, SendClaims).claim(request(`approved ${index}`, { approval }))
  )
  expect(approved.filter(({ _tag }) => _tag === "Claimed")).toHaveLength(1)

  const sent = yield* together(100, (_, replica) =>
    Context.get(replica, SendJournal).sendOnce("k", sms)
  )
  expect(sent.filter(({ isEarlier }) => !isEarlier)).toHaveLength(1)
  const { messages } = yield* Sandbox
  expect(yield* messages()).toHaveLength(1)
})
