import {
  isSafeToResend,
  type MessagingTopupClient,
  type SendSmsRequest,
  UndocumentedStatus
} from "@messaging-topup/core/promise"
import { setTimeout } from "node:timers/promises"

/** Sends up to three times, but only an SMS that did not go out, and as late as the service asks. */
export const send = async (
  client: MessagingTopupClient,
  request: SendSmsRequest,
  wait: (millis: number) => Promise<unknown> = setTimeout
) => {
  for (const seconds of [1, 2]) {
    try {
      return await client.sendSms(request)
    } catch (error) {
      const asked = error instanceof UndocumentedStatus ? (error.retryAfterSeconds ?? 0) : 0
      // The caller decides about a longer wait.
      if (!isSafeToResend(error) || asked > 60) throw error
      await wait(1000 * Math.max(seconds, asked))
    }
  }
  return await client.sendSms(request)
}
