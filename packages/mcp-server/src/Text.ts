/**
 * Texts of the service inside texts of ours: bounded, visible and quoted.
 *
 * A host cuts a result that is too long, or refuses it, and says nothing of what is missing. So we
 * cut first, and say it.
 */
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"

/** What JSON leaves as it is although it is invisible, or turns the line around. */
const unseen = /[\p{Cf}\u0080-\u009f\u2028\u2029]/gu

const asEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

/** The same JSON, with those characters as escapes. The joiner of emoji is one of them, too. */
export const escaped = (json: string): string =>
  json.replace(unseen, (character) => character.split("").map(asEscape).join(""))

/** The longest value of the service that a result shows, in characters. */
const maxValueLength = 500

/** The length of the records in a result, as JSON; the text beside them repeats and escapes it. */
const maxRecordsLength = 7_000

/** Never half a character. */
export const clipText = (text: string, length = maxValueLength): string => {
  const whole = text.toWellFormed()
  return whole.length <= length
    ? whole
    : `${whole.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`
}

export const inQuotes = (text: string): string => escaped(JSON.stringify(text))

/** A value of the service inside a sentence of ours: quoted, so that it stays a value. */
export const quoted = (text: string): string => inQuotes(clipText(text, 120))

/** The same value, with every text in it replaced. */
export const mapTexts = <A>(value: A, replace: (text: string) => string): A => {
  const mapped = (each: unknown): unknown => {
    if (Predicate.isString(each)) return replace(each)
    if (Array.isArray(each)) return each.map(mapped)
    return Predicate.isObject(each) ? Record.map({ ...each }, mapped) : each
  }
  // Texts stay texts, and everything else stays as it is.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return mapped(value) as A
}

/** The same record, with its long values cut. */
export const clipRecord = <A extends object>(record: A): A =>
  mapTexts(record, (value) => clipText(value))

export interface Fitted<A> {
  readonly shown: ReadonlyArray<A>
  readonly omitted: number
}

/** The first records, as many as fit. */
export const fit = <A extends object>(records: ReadonlyArray<A>, limit: number): Fitted<A> => {
  const shown: Array<A> = []
  let length = 0
  for (const record of records.slice(0, limit)) {
    const clipped = clipRecord(record)
    length += JSON.stringify(clipped).length
    if (length > maxRecordsLength) break
    shown.push(clipped)
  }
  return { shown, omitted: records.length - shown.length }
}
