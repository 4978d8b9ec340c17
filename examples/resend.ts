import {
  isSafeToResend,
  MessagingTopup,
  type SendSmsError,
  type SendSmsRequest
} from "@messaging-topup/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

const askedSeconds = (error: SendSmsError) =>
  error._tag === "UndocumentedStatus" ? (error.retryAfterSeconds ?? 0) : 0

const schedule = Schedule.exponential("1 second").pipe(
  Schedule.setInputType<SendSmsError>(),
  Schedule.modifyDelay(({ duration, input }) =>
    Effect.succeed(Duration.max(duration, Duration.seconds(askedSeconds(input))))
  )
)

/** Sends up to three times, but only an SMS that did not go out, and as late as the service asks. */
export const send = Effect.fn("send")(function* (request: SendSmsRequest) {
  const { sendSms } = yield* MessagingTopup
  return yield* sendSms(request).pipe(
    Effect.retry({
      // The caller decides about a longer wait.
      while: (error) => isSafeToResend(error) && askedSeconds(error) <= 60,
      times: 2,
      schedule
    })
  )
})
