/**
 * The question that a person reads before an SMS is sent: one paragraph without line breaks, because a
 * host may show only its first lines. What could be long comes last.
 */
import { type SendSmsRequest, SmsText } from "@messaging-topup/core"
import type { SendKind } from "./PlannedSend.ts"
import { plural, quoted, visible } from "./Text.ts"
import * as Recipient from "./Recipient.ts"

/**
 * Invisible characters that the question leaves as they are: those that join letters and emoji. All
 * others are made visible: with them, a text could look different from what is sent.
 */
const joining = new Set(["\u200c", "\u200d", "\ufe0e", "\ufe0f"])

/** Line breaks are escaped like quotes, so that the end of the text is clear. */
const escapedLines = new Set([...joining, "\n"])

/** Puts a text in quotes, and escapes quotes and line breaks in it. */
export const textOf = (message: string): string => JSON.stringify(visible(message, escapedLines))

/** Longer values hide the text that follows, and no sender or time has so many characters. */
const maxLength = 80

export const recipientOf = (recipient: string): string =>
  Recipient.isOneNumber(recipient) ? recipient : quoted(recipient, maxLength)

export const fromSender = (sender: string | undefined): ReadonlyArray<string> =>
  sender === undefined ? [] : [`from ${quoted(sender, maxLength)}`]

/** Shows at least the host of a long address, which decides who gets the status updates. */
const addressOf = (url: string): string =>
  quoted(url.length > maxLength && URL.canParse(url) ? `${new URL(url).origin}/…` : url, maxLength)

const asked: Readonly<Record<SendKind, string>> = {
  first: "Send this SMS?",
  resend:
    "Send this SMS AGAIN? An earlier send of it may already have gone out, so it can arrive twice.",
  copy: "Send a SECOND COPY of this SMS? It was sent already, so it arrives twice.",
  again: "Send this SMS? It is meant as a second copy, but nothing is known here of a first one."
}

const unresolvedWarning =
  " An earlier send of it is still unknown: it may have gone out, and this may be a second one."

export const write = (request: SendSmsRequest, kind: SendKind, unresolved: boolean): string => {
  const { message, recipient, scheduled_time, sender_id, webhook_url } = request
  const facts = [
    `To ${recipientOf(recipient)}`,
    ...fromSender(sender_id),
    ...(scheduled_time === undefined ? [] : [`scheduled for ${quoted(scheduled_time, maxLength)}`]),
    ...(webhook_url === undefined ? [] : [`status updates to ${addressOf(webhook_url)}`]),
    plural(SmsText.preview(message).segments, "segment")
  ]
  return `${asked[kind]}${unresolved ? unresolvedWarning : ""} ${facts.join(", ")}: ${textOf(message)}`
}
