/**
 * A value that stands for the arguments of a send, in approvals and in the log.
 *
 * It is keyed: without the key, no phone number can be found by trying them all.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import { createHmac } from "node:crypto"
import type { SendKind } from "./Claim.ts"
import * as Recipient from "./Recipient.ts"

export type Key = Uint8Array

const digest = (key: Key, purpose: string, parts: ReadonlyArray<unknown>): string =>
  createHmac("sha256", key)
    .update(JSON.stringify([purpose, ...parts]))
    .digest("base64url")

/** All that nobody sees, but for the letters that make a black flag that of a country. */
const unseen =
  /(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]*)[\u{e0020}-\u{e007f}]|(?![\u{e0020}-\u{e007f}])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** The text without what a person cannot see: two texts that look the same are the same. */
const seen = (text: string): string =>
  text
    .replace(/[\s\u2800]+/gu, " ")
    .replace(unseen, "")
    .replace(/ +/g, " ")
    .trim()
    .normalize("NFC")

/** What makes two sends the same SMS: who sends, to whom, which text, from whom, when. */
export const partsOfMessage = (
  service: string,
  principal: string,
  request: SendSmsRequest
): ReadonlyArray<string> => [
  "message",
  service,
  principal,
  Recipient.identity(request.recipient),
  seen(request.message),
  seen(request.sender_id ?? ""),
  seen(request.scheduled_time ?? "")
]

/** What a person approves: every argument as it is, and whether it is a second send. */
export const ofApproval = (key: Key, request: SendSmsRequest, kind: SendKind): string =>
  digest(key, "approval", [
    request.recipient,
    request.message,
    request.sender_id ?? null,
    request.webhook_url ?? null,
    request.scheduled_time ?? null,
    kind
  ])
