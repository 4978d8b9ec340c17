/**
 * Answers of a bounded length.
 *
 * A host cuts an answer that is too long, or refuses it, and says nothing of what is missing. So we
 * cut first, and say it.
 */
import * as Record from "effect/Record"
import { escaped } from "./Escape.ts"

/** For the structured part; the text beside it says the same, and escapes it once more. */
const budget = 7_000

const longestValue = 500

/** Never half a character. */
export const clipText = (text: string, length = longestValue): string => {
  const whole = text.toWellFormed()
  return whole.length <= length
    ? whole
    : `${whole.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`
}

export const inQuotes = (text: string): string => escaped(JSON.stringify(text))

/** A value of the service inside a sentence of ours: quoted, so that it stays a value. */
export const quoted = (text: string): string => inQuotes(clipText(text, 120))

type Texts<K extends string> = Readonly<Record.ReadonlyRecord<K, string>>

/** The same record, with its long values cut. */
export const clipRecord = <K extends string>(record: Texts<K>): Texts<K> =>
  Record.map(record, (value) => clipText(value))

export interface Fitted<K extends string> {
  readonly shown: ReadonlyArray<Texts<K>>
  readonly omitted: number
}

/** The first records, as many as fit. */
export const fit = <K extends string>(
  records: ReadonlyArray<Texts<K>>,
  limit: number
): Fitted<K> => {
  const shown: Array<Texts<K>> = []
  let length = 0
  for (const record of records.slice(0, limit)) {
    const clipped = clipRecord(record)
    length += JSON.stringify(clipped).length
    if (length > budget) break
    shown.push(clipped)
  }
  return { shown, omitted: records.length - shown.length }
}
