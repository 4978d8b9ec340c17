/**
 * Answers that are a list of records.
 */
import * as Schema from "effect/Schema"
import { fit, quoted } from "../internal/Clip.ts"
import type { Answer } from "./Tool.ts"

type Texts<K extends string> = Readonly<Record<K, string>>

const mostRecords = 50

/** The text is for clients that do not read structured content; the rest of the records is there. */
const mostLines = 10

export const outputOf = <A extends Texts<string>>(record: Schema.Codec<A, unknown>) =>
  Schema.Struct({ data: Schema.Array(record).annotate({ description: "Records" }) })

export const line = (record: Texts<string>): string =>
  `- ${Object.entries(record)
    .map(([name, value]) => `${name} ${quoted(value)}`)
    .join(", ")}`

/** `what` names what the records are about, such as "SMS". */
export const answer = <K extends string>(
  what: string,
  records: ReadonlyArray<Texts<K>>
): Answer<{ readonly data: ReadonlyArray<Texts<K>> }> => {
  const { omitted, shown } = fit(records, mostRecords)
  const count = `${records.length} ${records.length === 1 ? "record" : "records"}`
  const text = [
    records.length === 0
      ? `The service has no record of this ${what}.`
      : `${count} of this ${what}:`,
    ...shown.slice(0, mostLines).map(line),
    ...(shown.length > mostLines
      ? [`${shown.length - mostLines} more are in the structured content only.`]
      : []),
    ...(omitted === 0 ? [] : [`${omitted} more are left out of this answer.`])
  ]
  return { text: text.join("\n"), data: { data: shown } }
}
