import { isSafeToResend, MessagingTopup, type SendSmsRequest } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** Sends up to three times, but only an SMS that did not go out. */
export const send = Effect.fn("send")(function* (request: SendSmsRequest) {
  const { sendSms } = yield* MessagingTopup
  return yield* sendSms(request).pipe(
    Effect.retry({ while: isSafeToResend, times: 2, schedule: Schedule.exponential("1 second") })
  )
})
