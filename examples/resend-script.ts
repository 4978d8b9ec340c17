import {
  isSafeToResend,
  type MessagingTopupClient,
  type SendSmsRequest
} from "@messaging-topup/core/promise"
import { setTimeout } from "node:timers/promises"

/** Sends up to three times, but only an SMS that did not go out. */
export const send = async (
  client: MessagingTopupClient,
  request: SendSmsRequest,
  waitsMillis = [1000, 2000]
) => {
  for (const wait of waitsMillis) {
    try {
      return await client.sendSms(request)
    } catch (error) {
      if (!isSafeToResend(error)) throw error
      await setTimeout(wait)
    }
  }
  return await client.sendSms(request)
}
