import { expect, it } from "@effect/vitest"
import { ConnectionLost, MessagingTopup, sendOutcome, Transport } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const request = { recipient: "+15550100123", message: "Hello" }

/** The code under test. */
const notify = Effect.gen(function* () {
  const { sendSms } = yield* MessagingTopup
  return sendOutcome(yield* Effect.exit(sendSms(request)))
})

const queued = { recipient: request.recipient, message_id: "1", status: "queued" }

const accepts = Layer.mock(MessagingTopup, {
  sendSms: () => Effect.succeed({ success: true, status: 202, message: "accepted", data: [queued] })
})

const lost = Layer.mock(MessagingTopup, {
  sendSms: () => Effect.fail(new ConnectionLost({ operation: "sendSms" }))
})

it.effect("a mocked service can accept an SMS, or lose the response", () =>
  Effect.gen(function* () {
    expect(yield* Effect.provide(notify, accepts)).toBe("sent")
    expect(yield* Effect.provide(notify, lost)).toBe("unknown")
  })
)

const responding = (status: number, json: object) =>
  Layer.succeed(Transport, {
    headers: {},
    send: () => {
      const bytes = new TextEncoder().encode(JSON.stringify(json))
      return Effect.succeed({ status, headers: new Map(), body: { bytes, truncated: false } })
    }
  })

it.effect("a transport in place of the network: the client reads its responses", () =>
  Effect.gen(function* () {
    const token = Redacted.make("token")
    const service = MessagingTopup.layer({ baseUrl: "https://api.example.com", token })
    const over = (transport: Layer.Layer<Transport>) => Layer.provide(service, transport)
    const accepted = responding(202, { success: true, data: [queued] })
    expect(yield* Effect.provide(notify, over(accepted))).toBe("sent")
    expect(yield* Effect.provide(notify, over(responding(402, { error: {} })))).toBe("not-sent")
  })
)
