import { expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { send } from "../../examples/resend.ts"

it.effect("an SMS that did not go out is sent again after a second", () =>
  Effect.gen(function* () {
    const { messages, setFault } = yield* Sandbox
    yield* setFault({ fault: "Response", status: 429, times: 1 })
    const request = { recipient: "+15550100123", message: "Hello" }
    const sending = yield* Effect.forkChild(send(request))
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(sending)
    expect(yield* messages()).toHaveLength(1)
  }).pipe(Effect.provide(Sandbox.layerClient()))
)
