import { expect, it } from "@effect/vitest"
import { MessagingTopup, sendOutcome, Transport } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as TestClock from "effect/testing/TestClock"

const recipient = "+15550100123"

const client = Layer.unwrap(
  Effect.map(Sandbox, ({ baseUrl, token }) => MessagingTopup.layer({ baseUrl, token }))
)

const overHttp = client.pipe(
  Layer.provide(NodeTransport.layer),
  Layer.provideMerge(Sandbox.layer())
)

const inProcess = Sandbox.layerClient()

const lostResponse = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  const { sendSms } = yield* MessagingTopup
  yield* sandbox.setFault({ fault: "ResetAfterAcceptance" })

  const error = yield* Effect.flip(sendSms({ recipient, message: "Hello" }))

  expect(sendOutcome(error)).toBe("unknown")
  expect(yield* sandbox.messages()).toHaveLength(1)
})

it.live("a lost response makes the outcome unknown", () => Effect.provide(lostResponse, overHttp))

it.effect("a lost response, without a socket", () => Effect.provide(lostResponse, inProcess))

it.effect("an hour on the test clock takes no time", () =>
  Effect.gen(function* () {
    const { getSmsStatus, sendSms } = yield* MessagingTopup
    const { data } = yield* sendSms({ recipient, message: "Hello" })
    const delivered = yield* getSmsStatus(data[0]?.message_id ?? "").pipe(
      Effect.repeat({
        until: (read) => read.data[0]?.status === "SANDBOX_DELIVERED",
        schedule: Schedule.spaced("20 minutes")
      }),
      Effect.forkChild
    )
    yield* TestClock.adjust("1 hour")
    expect((yield* Fiber.join(delivered)).data[0]?.recipient).toBe(recipient)
  }).pipe(Effect.provide(inProcess))
)

const responding = (status: number, json: object) =>
  Layer.succeed(Transport, {
    headers: {},
    reportsStart: false,
    send: () => {
      const bytes = new TextEncoder().encode(JSON.stringify(json))
      return Effect.succeed({ status, headers: new Map(), body: { bytes, truncated: false } })
    }
  })

it.effect("a transport in place of the network: the client reads its responses", () =>
  Effect.gen(function* () {
    const token = Redacted.make("token")
    const service = MessagingTopup.layer({ baseUrl: "https://api.example.com", token })
    const outcomeOver = (transport: Layer.Layer<Transport>) =>
      MessagingTopup.pipe(
        Effect.flatMap(({ sendSms }) => sendSms({ recipient, message: "Hello" })),
        Effect.exit,
        Effect.map(sendOutcome),
        Effect.provide(Layer.provide(service, transport))
      )
    const data = [{ recipient, message_id: "1", status: "queued" }]
    const accepted = responding(202, { success: true, data })
    expect(yield* outcomeOver(accepted)).toBe("sent")
    expect(yield* outcomeOver(responding(402, { error: {} }))).toBe("not-sent")
  })
)
