import { expect, it } from "@effect/vitest"
import { MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const client = Layer.unwrap(
  Effect.map(Sandbox, ({ baseUrl, token }) => MessagingTopup.layer({ baseUrl, token }))
)

const overHttp = client.pipe(
  Layer.provide(NodeTransport.layer),
  Layer.provideMerge(Sandbox.layer())
)

const inProcess = client.pipe(Layer.provideMerge(Sandbox.layerInProcess()))

const lostResponse = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  const { sendSms } = yield* MessagingTopup
  yield* sandbox.setFault({ fault: "ResetAfterAcceptance" })

  const error = yield* Effect.flip(sendSms({ recipient: "+15551234567", message: "Hello" }))

  expect(sendOutcome(error)).toBe("unknown")
  expect(yield* sandbox.messages()).toHaveLength(1)
})

it.live("a lost response makes the outcome unknown", () => Effect.provide(lostResponse, overHttp))

it.effect("a lost response, without a socket", () => Effect.provide(lostResponse, inProcess))
