/**
 * The question that a person reads before an SMS is sent.
 */
import { type SendSmsRequest, SmsText } from "@messaging-topup/core"
import type { SendKind } from "./PlannedSend.ts"
import { plural, visible } from "./Text.ts"
import * as Recipient from "./Recipient.ts"

/**
 * Invisible characters that the question leaves as they are: line breaks, and what joins letters and
 * emoji. All others are made visible: with them, a text could look different from what is sent.
 */
const keptCharacters = new Set(["\n", "\u200c", "\u200d", "\ufe0e", "\ufe0f"])

/** Puts a value in quotes, so that its end is clear. Quotes in the value are escaped. */
const quoted = (text: string): string => JSON.stringify(visible(text, keptCharacters))

const line = (name: string, value: string | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : [`${name}: ${quoted(value)}`]

/** Removes the separators of a number; quotes anything else. */
const numberOf = (recipient: string): string => {
  const normalized = Recipient.normalize(recipient)
  return Recipient.isOneNumber(normalized) ? normalized : quoted(recipient)
}

const asked: Readonly<Record<SendKind, string>> = {
  first: "Send this SMS?",
  resend:
    "Send this SMS AGAIN? An earlier send of it may already have gone out, so it can arrive twice.",
  copy: "Send a SECOND COPY of this SMS? It was sent already, so it arrives twice.",
  again: "Send this SMS? It is meant as a second copy, but nothing is known here of a first one."
}

/** Writes one line per number, because each number costs an SMS. */
const recipients = (recipient: string): ReadonlyArray<string> => {
  const numbers = Recipient.numbersIn(recipient)
  return numbers.length > 1
    ? [`To ${numbers.length} numbers:`, ...numbers.map((number) => `- ${numberOf(number)}`)]
    : [`To: ${numberOf(recipient)}`]
}

export const write = (request: SendSmsRequest, kind: SendKind, unresolved: boolean): string => {
  const { encoding, segments } = SmsText.preview(request.message)
  return [
    asked[kind],
    ...(unresolved
      ? [
          "An earlier send of it is still unknown: it may have gone out, and this may be a second one."
        ]
      : []),
    ...recipients(request.recipient),
    ...(request.sender_id === undefined ? ["From: no sender ID given"] : []),
    ...line("From", request.sender_id),
    ...line("Scheduled for", request.scheduled_time),
    ...line("Status updates go to", request.webhook_url),
    `Text (${plural(segments, "segment")}, ${encoding}):`,
    // With a prefix, no line of the text can be mistaken for a line of the question.
    ...visible(request.message, keptCharacters)
      .split("\n")
      .map((text) => `> ${text}`)
  ].join("\n")
}
