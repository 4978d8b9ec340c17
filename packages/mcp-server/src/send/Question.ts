/**
 * The question that a person reads before SMS are sent: one paragraph without line breaks, because a host
 * may show only its first lines. These say how many go where; texts and the list of all recipients follow.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import { Phone } from "@messaging-topup/core/internal"
import type { Standing } from "@messaging-topup/journal/internal"
import { countryOf, type PlannedSms } from "./Plan.ts"
import type { KnownSms } from "./Standing.ts"
import { plural, rangesOf } from "../Sentences.ts"
import { quoted, visible } from "../Visible.ts"

/** An SMS that the person is asked about, and how many earlier sends of it there were. */
interface Asked extends Pick<PlannedSms, "number" | "request" | "segments"> {
  readonly standing: Pick<Standing, "sent" | "state" | "unknown">
}

/**
 * Invisible characters that the question leaves as they are: those that join letters and emoji. All
 * others are made visible: with them, a text could look different from what is sent.
 */
const joining = new Set(["\u200c", "\u200d", "\ufe0e", "\ufe0f"])

/** Line breaks are escaped like quotes, so that the end of the text is clear. A card shows them as they are. */
const escapedLines = new Set([...joining, "\n"])

/** What a person is asked. */
export interface Question {
  readonly asked: string
  readonly facts: ReadonlyArray<string>
  /** Each whole text, and who gets it: as a card shows them. */
  readonly texts: ReadonlyArray<{ readonly text: string; readonly to: ReadonlyArray<string> }>
  /** All of it in one paragraph. */
  readonly paragraph: string
}

/** How much of all texts is shown, in UTF-16 code units: more than the 10 segments of one SMS. */
const maxTexts = 2_000

/** A text of one segment has at most so many, and is never cut: a person approves what can be read. */
const oneSegment = 160

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

/** What is known of earlier sends of one SMS, and how often it can arrive. */
const historyOf = ({ sent, unknown }: Asked["standing"]): string => {
  if (sent + unknown === 0) {
    return "The person who runs the server decided that an earlier send of it did not go out."
  }
  const times = sent === 1 ? "It was sent already" : `It was sent ${sent} times already`
  const more = `${unknown === 1 ? "an" : unknown} earlier ${unknown === 1 ? "send" : "sends"} of it may have gone out`
  const known = [...(sent > 0 ? [times] : []), ...(unknown > 0 ? [more] : [])].join(", and ")
  const most = sent + unknown === 1 ? "twice" : `${sent + unknown + 1} times`
  const first = known.charAt(0).toUpperCase() + known.slice(1)
  return unknown === 0 ? `${first}, so it arrives ${most}.` : `${first}, so it can arrive ${most}.`
}

const fromOf = ({ sender_id }: SendSmsRequest): ReadonlyArray<string> =>
  sender_id === undefined ? [] : [`from ${quoted(sender_id, maxLength)}`]

/** The description of the service does not say how it reads such a number. */
const withoutCountry = "without + and a country code"

const aboutOne = ({ request, segments, standing }: Asked, again: boolean) => {
  const { message, scheduled_time } = request
  const { sent, state, unknown } = standing
  const facts = [
    ...(countryOf(request.recipient) === undefined ? [withoutCountry] : []),
    ...fromOf(request),
    ...(scheduled_time === undefined
      ? []
      : [`scheduled for ${quoted(scheduled_time, maxLength)} (it may go out at once)`]),
    plural(segments, "segment")
  ]
  const isAgain = again && (sent + unknown > 0 || state === "closed")
  const asked = isAgain ? `Send this SMS AGAIN? ${historyOf(standing)}` : "Send this SMS?"
  const to = [`To ${recipientOf(request)}`, ...facts].join(", ")
  return { asked, facts, paragraph: `${asked} ${to}: ${textOf(message, maxTexts)}` }
}

/** Counts the recipients by their country codes, the most frequent first. */
const byCountry = (rows: ReadonlyArray<Asked>): string =>
  [...Map.groupBy(rows, ({ request }) => countryOf(request.recipient) ?? "")]
    .toSorted(([, ones], [, others]) => others.length - ones.length)
    .map(([code, { length }]) =>
      code === "" ? `${length} ${withoutCountry}` : `${length} with country code ${code}`
    )
    .join(", ")

/** Every recipient stands with its text: the person may approve texts that are not the same for all. */
const byText = (rows: ReadonlyArray<Asked>) =>
  [...Map.groupBy(rows, ({ request }) => request.message)].map(([message, each]) => ({
    message,
    to: each.map(({ request }) => recipientOf(request))
  }))

const textsOf = (texts: ReturnType<typeof byText>): string => {
  const length = Math.max(oneSegment, Math.floor(maxTexts / texts.length))
  return texts
    .map(({ message, to }) =>
      texts.length === 1
        ? `${textOf(message, length)} To ${to.join(", ")}`
        : `to ${to.join(", ")}: ${textOf(message, length)}`
    )
    .join("; ")
}

/** What is known of earlier sends of several SMS. */
const historyOfMany = (again: ReadonlyArray<Asked>): string => {
  const [first, ...others] = again
  if (first !== undefined && others.length === 0) return historyOf(first.standing)
  const most = Math.max(...again.map(({ standing }) => standing.sent + standing.unknown + 1))
  const times = most === 2 ? "twice" : `up to ${most} times`
  return `Earlier sends of these may have gone out, so they can arrive ${times}.`
}

const askedOf = (rows: ReadonlyArray<Asked>, total: number): string => {
  const again = rows.filter(({ standing }) => standing.unknown > 0)
  const numbers = rangesOf(again.map(({ number }) => number))
  const which = `${again.length === 1 ? "row" : "rows"} ${numbers}`
  if (again.length === rows.length) return `Send ${which} AGAIN? ${historyOfMany(again)}`
  const count = rows.length === total ? `${total}` : `${rows.length} of these ${total}`
  if (again.length > 0)
    return `Send ${count} SMS, ${again.length} of them AGAIN (${which})? ${historyOfMany(again)}`
  if (rows.length === total) return `Send ${count} SMS?`
  const others = total - rows.length === 1 ? "The other was" : "The others were"
  return `Send ${count} SMS? ${others} sent before, or may have been.`
}

const aboutMany = (rows: readonly [Asked, ...ReadonlyArray<Asked>], total: number) => {
  const texts = byText(rows)
  const facts = [
    byCountry(rows),
    ...fromOf(rows[0].request),
    plural(
      rows.reduce((sum, { segments }) => sum + segments, 0),
      "segment"
    ),
    ...(texts.length === 1 ? [] : [`${texts.length} texts`])
  ]
  const asked = askedOf(rows, total)
  return { asked, facts, paragraph: `${asked} ${facts.join(", ")}: ${textsOf(texts)}` }
}

/** `open` are those that are left of `total`. */
export const write = (open: ReadonlyArray<KnownSms>, total: number, again: boolean): Question => {
  const rows = open.map(({ sms, standing }): Asked => ({ ...sms, standing }))
  const [first, ...others] = rows
  if (first === undefined) return { asked: "", facts: [], texts: [], paragraph: "" }
  const about = total === 1 ? aboutOne(first, again) : aboutMany([first, ...others], total)
  const texts = byText(rows).map(({ message, to }) => ({
    text: visible(message, escapedLines),
    to
  }))
  return { ...about, texts }
}
