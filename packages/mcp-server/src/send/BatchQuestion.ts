/**
 * The question that a person reads before a batch is sent: one paragraph, like the one for a single SMS.
 */
import type { BatchRow } from "./BatchRow.ts"
import { fromSender, recipientOf, textOf } from "./Question.ts"
import * as Recipient from "./Recipient.ts"
import { plural } from "./Text.ts"

/** The person may approve a text that is not the same for all: so all texts are shown. */
const textsOf = (rows: ReadonlyArray<BatchRow>): string => {
  const byText = Map.groupBy(rows, ({ request }) => request.message)
  const [only] = byText.keys()
  if (only !== undefined && byText.size === 1) return textOf(only)
  return [...byText]
    .map(([text, [first, ...others]]) => {
      const more = others.length === 0 ? "" : ` and ${others.length} more`
      return `to ${recipientOf(first?.request.recipient ?? "")}${more}: ${textOf(text)}`
    })
    .join("; ")
}

/** `rows` are those that are left of `total`: the others were sent before, or are unknown. */
export const write = (rows: ReadonlyArray<BatchRow>, total: number): string => {
  const [first] = rows
  const last = rows.at(-1)
  if (first === undefined || last === undefined) return ""
  const { sender_id } = first.request
  const texts = new Set(rows.map(({ request }) => request.message)).size
  const segments = rows.reduce((sum, { planned }) => sum + planned.segments, 0)
  const local = rows.filter(({ request }) => !Recipient.isInternational(request.recipient)).length
  const facts = [
    rows.length === 1
      ? `To ${recipientOf(first.request.recipient)}`
      : `First to ${recipientOf(first.request.recipient)}, last to ${recipientOf(last.request.recipient)}`,
    ...fromSender(sender_id),
    plural(segments, "segment"),
    ...(texts === 1 ? [] : [`${texts} texts`]),
    ...(local === 0 ? [] : [`${plural(local, "number")} without + and a country code`])
  ]
  const asked =
    rows.length === total
      ? `Send ${rows.length} SMS?`
      : `Send ${rows.length} of these ${total} SMS? The others were sent before, or may have been.`
  return `${asked} ${facts.join(", ")}: ${textsOf(rows)}`
}
