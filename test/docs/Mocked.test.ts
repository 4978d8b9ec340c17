import { expect, it } from "@effect/vitest"
import { ConnectionLost, MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

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
