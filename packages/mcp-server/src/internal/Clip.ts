/**
 * Answers of a bounded length.
 *
 * A host cuts an answer that is too long, or refuses it, and says nothing of what is missing. So we
 * cut first, and say it.
 */

/** For the structured part; the text beside it is a summary and never longer. */
const budget = 7_000

const longestValue = 500

export const clipText = (text: string, length = longestValue): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`

/** A value of the service inside a sentence of ours: quoted, so that it stays a value. */
export const quoted = (text: string): string => JSON.stringify(clipText(text, 120))

export const clipRecord = <A extends Readonly<Record<string, string>>>(record: A): A => {
  const clipped: Record<string, string> = { ...record }
  for (const [key, value] of Object.entries(record)) clipped[key] = clipText(value)
  return Object.assign({ ...record }, clipped)
}

export interface Fitted<A> {
  readonly shown: ReadonlyArray<A>
  readonly omitted: number
}

/** The first records, as many as fit. */
export const fit = <A extends Readonly<Record<string, string>>>(
  records: ReadonlyArray<A>,
  limit: number
): Fitted<A> => {
  const shown: Array<A> = []
  let length = 0
  for (const record of records.slice(0, limit)) {
    const clipped = clipRecord(record)
    length += JSON.stringify(clipped).length
    if (length > budget) break
    shown.push(clipped)
  }
  return { shown, omitted: records.length - shown.length }
}
