/**
 * Texts of the service and of callers inside results of ours: visible and bounded.
 *
 * A host cuts a result that is too long, or refuses it, and says nothing of what is missing. So we
 * cut first, and say it.
 */
import * as Predicate from "effect/Predicate"

/** What nobody sees, or what turns the line around. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Most texts, which need no look at each character's properties. */
const plain = /^[\x20-\x7e]*$/

/** The same text, with those characters as `<U+202E>`. */
export const visible = (text: string, except: ReadonlySet<string> = new Set()): string =>
  plain.test(text)
    ? text
    : text.replace(unseen, (character) =>
        except.has(character)
          ? character
          : `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`
      )

/** The longest value of the service that a result shows, in characters. */
const maxValueLength = 500

/** The length of all records in a result, as JSON; the text beside them repeats it. */
const maxRecordsLength = 7_000

/** Visible, and never half a character or half a code point's name. */
export const clip = (text: string, length = maxValueLength): string => {
  const shown = visible(text.slice(0, length + 1))
  return shown.length <= length
    ? shown
    : `${shown.slice(0, length - 1).replace(/[\ud800-\udbff]$|<(U(\+[\dA-F]*)?)?$/, "")}…`
}

/** A value inside a sentence of ours: quoted, so that it stays a value. */
export const quoted = (text: string, length = 120): string => JSON.stringify(clip(text, length))

/** The same value, with every text in it replaced. */
export const mapTexts = <A>(value: A, replace: (text: string) => string): A => {
  const mapped = (each: unknown): unknown => {
    if (Predicate.isString(each)) return replace(each)
    if (Array.isArray(each)) return each.map(mapped)
    return Predicate.isObject(each)
      ? Object.fromEntries(Object.entries(each).map(([name, field]) => [name, mapped(field)]))
      : each
  }
  // Texts stay texts, and everything else stays as it is.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return mapped(value) as A
}

/** The same record, with its long values cut. */
export const clipRecord = <A extends object>(record: A): A => mapTexts(record, (text) => clip(text))

export interface Fitted<A> {
  readonly shown: ReadonlyArray<A>
  /** How many were left out for length. */
  readonly tooLong: number
  /** What is left of the length. */
  readonly left: number
}

/** The first records, as many as fit. */
export const fit = <A extends object>(
  records: ReadonlyArray<A>,
  length = maxRecordsLength
): Fitted<A> => {
  const shown: Array<A> = []
  let left = length
  for (const record of records) {
    const clipped = clipRecord(record)
    const taken = JSON.stringify(clipped).length
    if (taken > left) break
    left -= taken
    shown.push(clipped)
  }
  return { shown, tooLong: records.length - shown.length, left }
}
