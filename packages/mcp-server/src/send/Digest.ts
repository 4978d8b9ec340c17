/**
 * What makes two sends the same SMS. The journal makes a keyed digest of it, which stands for the
 * arguments of a send in claims and the log: without the key, nobody can find a phone number by trying
 * all numbers.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import * as Recipient from "./Recipient.ts"
import { normalized, withoutInvisible } from "./Text.ts"

/** Removes what a person cannot see, so that two texts that look the same are equal. */
const visibleText = (text: string): string =>
  normalized(
    withoutInvisible(text.replace(/[\s\u2800]+/gu, " "))
      .replace(/ {2,}/g, " ")
      .trim(),
    "NFC"
  )

/**
 * The fields that make two sends the same SMS: the service, the principal, the recipient, the text,
 * the sender ID and the schedule.
 */
export const partsOf = (
  service: string,
  principal: string,
  request: SendSmsRequest
): ReadonlyArray<string> => [
  "message",
  service,
  principal,
  Recipient.identity(request.recipient),
  visibleText(request.message),
  visibleText(request.sender_id ?? ""),
  visibleText(request.scheduled_time ?? "")
]
