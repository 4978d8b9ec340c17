import { expect, it } from "@effect/vitest"
import { MessagingTopup, sendOutcome } from "@messaging-topup/core"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"

it.effect("an SMS whose response is lost may have gone out", () =>
  Effect.gen(function* () {
    const { sendSms } = yield* MessagingTopup
    const { messages, setFault } = yield* Sandbox
    yield* setFault({ fault: "ResetAfterAcceptance", times: 1 })
    const error = yield* Effect.flip(sendSms({ recipient: "+15550100123", message: "Hello" }))
    expect(sendOutcome(error)).toBe("unknown")
    expect(yield* messages({ text: "hello" })).toHaveLength(1)
  }).pipe(Effect.provide(Sandbox.layerClient()))
)
