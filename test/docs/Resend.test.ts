import { expect, it } from "@effect/vitest"
import { createClient } from "@messaging-topup/core/promise"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { send } from "../../examples/resend.ts"
import { send as sendFromScript } from "../../examples/resend-script.ts"
import { sandboxSettings } from "../harness/sandbox/Client.ts"

const request = { recipient: "+15550100123", message: "Hello" }

it.effect("an SMS that did not go out is sent again after a second", () =>
  Effect.gen(function* () {
    const { messages, setFault } = yield* Sandbox
    yield* setFault({ fault: "Response", status: 429, times: 1 })
    const sending = yield* Effect.forkChild(send(request))
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(sending)
    expect(yield* messages()).toHaveLength(1)
  }).pipe(Effect.provide(Sandbox.layerClient()))
)

const askingToWait = { fault: "Response", status: 429, headers: { "retry-after": "5" } } as const

it.effect("it is not sent again earlier than the service asks", () =>
  Effect.gen(function* () {
    const { requests, setFault } = yield* Sandbox
    yield* setFault(askingToWait)
    const sending = yield* Effect.forkChild(Effect.flip(send(request)))
    for (const sends of [1, 2, 3]) {
      yield* TestClock.adjust("4999 millis")
      expect(yield* requests()).toHaveLength(sends)
      yield* TestClock.adjust("1 millis")
    }
    expect(yield* Fiber.join(sending)).toMatchObject({ sendOutcome: "not-sent" })
  }).pipe(Effect.provide(Sandbox.layerClient()))
)

it.live("a script does not send it again earlier than the service asks", () =>
  Effect.gen(function* () {
    const { setFault } = yield* Sandbox
    yield* setFault({ ...askingToWait, times: 2 })
    const settings = yield* sandboxSettings
    const waits: Array<number> = []
    yield* Effect.promise(async () => {
      await using client = createClient({
        baseUrl: settings.MESSAGING_TOPUP_BASE_URL,
        token: settings.MESSAGING_TOPUP_TOKEN
      })
      await sendFromScript(client, request, async (millis) => void waits.push(millis))
    })
    expect(waits).toEqual([5000, 5000])
  }).pipe(Effect.provide(Sandbox.layer()))
)
