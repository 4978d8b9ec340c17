/**
 * What a person reads before an SMS is sent.
 */
import { type SendSmsRequest, SmsText } from "@messaging-topup/core"
import * as Recipient from "./Recipient.ts"

/**
 * Characters that cannot be seen, or that turn the line around: a question that hides them could
 * show another text than the one that is sent. Line breaks, and what joins emoji, stay.
 */
const hidden = /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu

const visible = (text: string): string =>
  text.replace(hidden, (character) =>
    character === "\n"
      ? character
      : `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}}`
  )

const line = (name: string, value: string | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : [`${name}: ${visible(value).replaceAll("\n", "\\n")}`]

export const write = (request: SendSmsRequest, again: boolean): string => {
  const { encoding, segments } = SmsText.preview(request.message)
  return [
    again
      ? "Send this SMS AGAIN? An earlier send of it may already have gone out, so it can arrive twice."
      : "Send this SMS?",
    ...line("To", Recipient.normalize(request.recipient)),
    ...line("From", request.sender_id ?? "no sender ID given"),
    ...line("Scheduled for", request.scheduled_time),
    ...line("Status updates go to", request.webhook_url),
    `Text (${segments} ${segments === 1 ? "segment" : "segments"}, ${encoding}):`,
    visible(request.message)
  ].join("\n")
}
