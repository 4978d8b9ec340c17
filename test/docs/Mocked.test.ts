import { expect, it } from "@effect/vitest"
import { ConnectionLost, MessagingTopup, sendOutcome, Transport } from "@messaging-topup/core"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as TestClock from "effect/testing/TestClock"

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

const sandbox = Layer.unwrap(
  Effect.map(Sandbox, ({ baseUrl, token }) => MessagingTopup.layer({ baseUrl, token }))
).pipe(Layer.provideMerge(Sandbox.layerInProcess()))

it.effect("an hour on the test clock takes no time", () =>
  Effect.gen(function* () {
    const { getSmsStatus, sendSms } = yield* MessagingTopup
    const { data } = yield* sendSms(request)
    const delivered = yield* getSmsStatus(data[0]?.message_id ?? "").pipe(
      Effect.repeat({
        until: (read) => read.data[0]?.status === "SANDBOX_DELIVERED",
        schedule: Schedule.spaced("20 minutes")
      }),
      Effect.forkChild
    )
    yield* TestClock.adjust("1 hour")
    expect((yield* Fiber.join(delivered)).data[0]?.recipient).toBe(request.recipient)
  }).pipe(Effect.provide(sandbox))
)
