/**
 * Digests that stand for the arguments of a send, in approvals, claims and the log.
 *
 * They are keyed: without the key, nobody can find a phone number by trying all numbers.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import { createHmac } from "node:crypto"
import * as Recipient from "./Recipient.ts"
import { normalized, withoutInvisible } from "./Text.ts"

export type Key = Uint8Array

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
export const partsOfMessage = (
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

export const ofApproval = (key: Key, subject: ReadonlyArray<string | null>): string =>
  createHmac("sha256", key)
    .update(JSON.stringify(["approval", ...subject]))
    .digest("base64url")
