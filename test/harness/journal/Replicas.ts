/**
 * Two journals on one database, as in two processes.
 */
import { expect } from "@effect/vitest"
import { SendJournal } from "@messaging-topup/journal/internal"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { tryToClaim } from "./conformance/ServerTests.ts"

const sms = { recipient: "+15550101234", message: "Hello" }

/** Expects that both share their limits, approvals and single sends. */
export const expectShared = Effect.fnUntraced(function* <E0>(layer: Layer.Layer<SendJournal, E0>) {
  const replicas = yield* Effect.all([
    Layer.build(Layer.fresh(layer)),
    Layer.build(Layer.fresh(layer))
  ])
  const together = <A, E, R>(count: number, call: (index: number) => Effect.Effect<A, E, R>) =>
    Effect.all(
      Array.from({ length: count }, (_, index) =>
        Effect.provideContext(call(index), replicas[index % 2 === 0 ? 0 : 1])
      ),
      { concurrency: "unbounded" }
    )

  const limited = yield* together(50, (index) => tryToClaim(`limited ${index}`, { maxPerHour: 20 }))
  expect(limited.filter(({ _tag }) => _tag === "Claimed")).toHaveLength(20)

  const approval = { nonce: "n", validFor: Duration.hours(1) }
  const approved = yield* together(10, (index) => tryToClaim(`approved ${index}`, { approval }))
  expect(approved.filter(({ _tag }) => _tag === "Claimed")).toHaveLength(1)

  const same = yield* together(20, () => tryToClaim("same"))
  expect(same.filter(({ _tag }) => _tag === "Claimed")).toHaveLength(1)

  const sent = yield* together(100, () =>
    Effect.flatMap(SendJournal, ({ sendOnce }) => sendOnce("k", sms))
  )
  expect(sent.filter(({ isEarlier }) => !isEarlier)).toHaveLength(1)
  const { messages } = yield* Sandbox
  expect(yield* messages()).toHaveLength(1)
})
