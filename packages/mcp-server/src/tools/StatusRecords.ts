/**
 * Results that are a list of records.
 */
import * as Schema from "effect/Schema"
import { fit, quoted } from "../Text.ts"
import type { ToolResult } from "./Tool.ts"

type Texts<K extends string> = Readonly<Record<K, string>>

const maxRecords = 50

/** The text is for clients that do not read structured content, which has more records. */
const maxLines = 10

export const outputOf = <A extends Texts<string>>(record: Schema.Codec<A, unknown>) =>
  Schema.Struct({ data: Schema.Array(record).annotate({ description: "Records" }) })

export const line = (record: Texts<string>): string =>
  `- ${Object.entries(record)
    .map(([name, value]) => `${name} ${quoted(value)}`)
    .join(", ")}`

/** `what` names what the records are about, such as "SMS". */
export const resultOf = <K extends string>(
  what: string,
  records: ReadonlyArray<Texts<K>>
): ToolResult<{ readonly data: ReadonlyArray<Texts<K>> }> => {
  const { omitted, shown } = fit(records, maxRecords)
  const count = `${records.length} ${records.length === 1 ? "record" : "records"}`
  const text = [
    records.length === 0
      ? `The service has no record of this ${what}.`
      : `${count} of this ${what}:`,
    ...shown.slice(0, maxLines).map(line),
    ...(shown.length > maxLines
      ? [`${shown.length - maxLines} more are in the structured content only.`]
      : []),
    ...(omitted === 0 ? [] : [`${omitted} more are left out of this result.`])
  ]
  return { text: text.join("\n"), data: { data: shown } }
}
