/**
 * The question that a person reads before SMS are sent: one paragraph without line breaks, because a host
 * may show only its first lines. These say how many go where; texts and the list of all recipients follow.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import { Phone } from "@messaging-topup/core/internal"
import * as Recipient from "./Recipient.ts"
import type { SendKind } from "./Standing.ts"
import { plural, quoted, visible } from "./Text.ts"

/** An SMS that the person is asked about. */
interface Asked {
  readonly request: SendSmsRequest
  readonly segments: number
  /** Whether an earlier send of it is unknown, and no longer blocks it. */
  readonly isUnresolved: boolean
}

/**
 * Invisible characters that the question leaves as they are: those that join letters and emoji. All
 * others are made visible: with them, a text could look different from what is sent.
 */
const joining = new Set(["\u200c", "\u200d", "\ufe0e", "\ufe0f"])

/** Line breaks are escaped like quotes, so that the end of the text is clear. */
const escapedLines = new Set([...joining, "\n"])

/** How much of all texts is shown, in UTF-16 code units: more than the 10 segments of one SMS. */
const maxTexts = 2_000

/** Puts a text in quotes, and escapes quotes and line breaks in it. A text that is too long is cut, and says so. */
const textOf = (message: string, maxLength: number): string => {
  const shown = message.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "")
  const text = JSON.stringify(visible(shown, escapedLines))
  return shown.length === message.length ? text : `${text}… (${message.length} characters)`
}

/** Longer values hide the text that follows, and no sender or time has so many characters. */
const maxLength = 80

const recipientOf = ({ recipient }: SendSmsRequest): string =>
  Phone.isOneNumber(recipient) ? recipient : quoted(recipient, maxLength)

const one: Readonly<Record<SendKind, string>> = {
  first: "Send this SMS?",
  resend:
    "Send this SMS AGAIN? An earlier send of it may already have gone out, so it can arrive more than once.",
  copy: "Send a SECOND COPY of this SMS? It was sent already, so it arrives twice.",
  again: "Send this SMS? It is meant as a second copy, but nothing is known here of a first one."
}

const unresolvedWarning =
  " An earlier send of it is still unknown: it may have gone out, and this may be a second one."

const fromOf = ({ sender_id }: SendSmsRequest): ReadonlyArray<string> =>
  sender_id === undefined ? [] : [`from ${quoted(sender_id, maxLength)}`]

const aboutOne = ({ isUnresolved, request, segments }: Asked, kind: SendKind): string => {
  const { message, scheduled_time } = request
  const facts = [
    `To ${recipientOf(request)}`,
    ...fromOf(request),
    ...(scheduled_time === undefined ? [] : [`scheduled for ${quoted(scheduled_time, maxLength)}`]),
    plural(segments, "segment")
  ]
  const warning = isUnresolved && kind === "first" ? unresolvedWarning : ""
  return `${one[kind]}${warning} ${facts.join(", ")}: ${textOf(message, maxTexts)}`
}

/** Counts the recipients by their country codes, the most frequent first. */
const byCountry = (rows: ReadonlyArray<Asked>): string =>
  [...Map.groupBy(rows, ({ request }) => Recipient.countryOf(request.recipient) ?? "")]
    .toSorted(([, ones], [, others]) => others.length - ones.length)
    .map(([code, { length }]) =>
      code === "" ? `${length} without + and a country code` : `${length} to ${code}`
    )
    .join(", ")

const listed = (rows: ReadonlyArray<Asked>): string =>
  rows.map(({ request }) => recipientOf(request)).join(", ")

/** Every recipient stands with its text: the person may approve texts that are not the same for all. */
const textsOf = (rows: ReadonlyArray<Asked>): string => {
  const byText = [...Map.groupBy(rows, ({ request }) => request.message)]
  const length = Math.max(maxLength, Math.floor(maxTexts / byText.length))
  return byText
    .map(([text, each]) =>
      byText.length === 1
        ? `${textOf(text, length)} To ${listed(each)}`
        : `to ${listed(each)}: ${textOf(text, length)}`
    )
    .join("; ")
}

const aboutMany = (
  rows: readonly [Asked, ...ReadonlyArray<Asked>],
  total: number,
  kind: SendKind
): string => {
  const texts = new Set(rows.map(({ request }) => request.message)).size
  const facts = [
    byCountry(rows),
    ...fromOf(rows[0].request),
    plural(
      rows.reduce((sum, { segments }) => sum + segments, 0),
      "segment"
    ),
    ...(texts === 1 ? [] : [`${texts} texts`])
  ]
  const count = rows.length === total ? `${total}` : `${rows.length} of these ${total}`
  const others = rows.length === total ? "" : " The others were sent before, or may have been."
  const asked =
    kind === "resend"
      ? `Send ${count} SMS, some AGAIN? Earlier sends of them may already have gone out, so they can arrive more than once.`
      : `Send ${count} SMS?${others}`
  return `${asked} ${facts.join(", ")}: ${textsOf(rows)}`
}

/** `rows` are those that are left of `total`. */
export const write = (rows: ReadonlyArray<Asked>, total: number, kind: SendKind): string => {
  const [first, ...others] = rows
  if (first === undefined) return ""
  return total === 1 ? aboutOne(first, kind) : aboutMany([first, ...others], total, kind)
}
