/**
 * What a person reads before an SMS is sent.
 */
import { type SendSmsRequest, SmsText } from "@messaging-topup/core"
import * as Recipient from "./Recipient.ts"

/**
 * Characters that cannot be seen, or that turn the line around: a question that hides them could
 * show another text than the one that is sent. Line breaks, and what joins letters and emoji, stay.
 */
const hidden = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800\ufff9-\ufffb]/gu

const joining = new Set(["\n", "\u200c", "\u200d", "\ufe0e", "\ufe0f"])

const visible = (text: string): string =>
  text.replace(hidden, (character) =>
    joining.has(character)
      ? character
      : `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}}`
  )

/** In quotes, which show where the value ends; quotes in the value are escaped. */
const quoted = (text: string): string =>
  `"${visible(text.replaceAll(/["\\]/g, "\\$&")).replaceAll("\n", "\\n")}"`

const line = (name: string, value: string | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : [`${name}: ${quoted(value)}`]

/** A number without its separators; anything else as it is. */
const numberOf = (recipient: string): string => {
  const normalized = Recipient.normalize(recipient)
  return Recipient.isOneNumber(normalized) ? normalized : quoted(recipient)
}

export const write = (request: SendSmsRequest, resend: boolean): string => {
  const { encoding, segments } = SmsText.preview(request.message)
  return [
    resend
      ? "Send this SMS AGAIN? An earlier send of it may already have gone out, so it can arrive twice."
      : "Send this SMS?",
    `To: ${numberOf(request.recipient)}`,
    ...(request.sender_id === undefined ? ["From: no sender ID given"] : []),
    ...line("From", request.sender_id),
    ...line("Scheduled for", request.scheduled_time),
    ...line("Status updates go to", request.webhook_url),
    `Text (${segments} ${segments === 1 ? "segment" : "segments"}, ${encoding}):`,
    // The text cannot pass for a line of the question.
    ...visible(request.message)
      .split("\n")
      .map((text) => `> ${text}`)
  ].join("\n")
}
