import { MessagingTopup } from "@messaging-topup/core"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

/** Handles one error. The others stay in the type of the effect. */
export const send = Effect.flatMap(MessagingTopup, ({ sendSms }) =>
  sendSms({ recipient: "+15550000402", message: "Your code is 4711" })
).pipe(Effect.catchTag("PaymentRequired", () => Console.error("Pay, then send again")))
