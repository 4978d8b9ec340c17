import { expect, it } from "@effect/vitest"
import { layerMemory, sendMany, SendJournal } from "@messaging-topup/journal"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

it.effect("a campaign waits as long as the service asks, and goes on", () =>
  Effect.gen(function* () {
    const { messages, setFault } = yield* Sandbox
    yield* setFault({ fault: "Response", status: 429, headers: { "retry-after": "60" }, times: 3 })
    const rows = [{ key: "k", request: { recipient: "+15550100123", message: "Hello" } }]
    const sending = yield* Effect.forkChild(sendMany(rows, { campaign: "c" }))
    while (sending.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(sending)).toMatchObject({ sentNow: 1 })
    expect(yield* messages()).toHaveLength(1)
  }).pipe(Effect.provide(Layer.merge(Sandbox.layerClient(), layerMemory)))
)

it.effect("the same order twice at once is sent once", () =>
  Effect.gen(function* () {
    const { sendOnce } = yield* SendJournal
    const { messages } = yield* Sandbox
    const order = sendOnce("order-1", { recipient: "+15550100123", message: "Hello" })
    const both = yield* Effect.forkChild(Effect.all([order, order], { concurrency: 2 }))
    while (both.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(both)).toMatchObject([{ isEarlier: false }, { isEarlier: true }])
    expect(yield* messages()).toHaveLength(1)
  }).pipe(Effect.provide(Layer.merge(Sandbox.layerClient(), layerMemory)))
)
