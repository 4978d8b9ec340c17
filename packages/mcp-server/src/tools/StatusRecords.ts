/**
 * Results that are a list of records.
 */
import type { StatusResponse } from "@messaging-topup/core"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { fit, quoted } from "../Text.ts"
import type { ToolResult } from "./Tool.ts"

const maxRecords = 50

/** The text is for clients that do not read structured content, which has more records. */
const maxLines = 10

export const outputOf = <A>(record: Schema.Codec<A, unknown>) =>
  Schema.Struct({ data: Schema.Array(record).annotate({ description: "Records" }) })

export const line = (record: object): string =>
  `- ${Object.entries(record)
    .filter(([, value]) => Predicate.isString(value))
    .map(([name, value]) => `${name} ${quoted(value)}`)
    .join(", ")}`

/** What core could not read of a list, and so left out. */
export const unreadableLine = (entries: ReadonlyArray<unknown> = []): ReadonlyArray<string> =>
  entries.length === 0
    ? []
    : [`${entries.length} more could not be read, because they are not as described.`]

/** `what` names what the records are about, such as "SMS". */
export const resultOf = <A extends object>(
  what: string,
  { data: records, unreadable }: StatusResponse<A>
): ToolResult<{ readonly data: ReadonlyArray<A> }> => {
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
    ...(omitted === 0 ? [] : [`${omitted} more are left out of this result.`]),
    ...unreadableLine(unreadable)
  ]
  return { text: text.join("\n"), data: { data: shown } }
}
