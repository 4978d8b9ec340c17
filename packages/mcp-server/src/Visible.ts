/** What a person sees of a text of the service or of a caller: its invisible characters are shown or removed, its length is limited. */
import { codePoint, invisible } from "@messaging-topup/core/internal"
import * as Predicate from "effect/Predicate"

/** Matches most texts faster than a look at the properties of each character. */
const plain = /^[\x20-\x7e]*$/

const replaceInvisible = (text: string, replace: (character: string) => string): string =>
  plain.test(text) ? text : text.replace(invisible, replace)

/** Writes invisible characters as their code point, such as `<U+202E>`. */
export const visible = (text: string, except: ReadonlySet<string> = new Set()): string =>
  replaceInvisible(text, (character) =>
    except.has(character) ? character : `<${codePoint(character)}>`
  )

/** Whether a text has a visible character: a `message_id` without one cannot be used. */
export const isVisible = (text: string): boolean => replaceInvisible(text, () => "").trim() !== ""

/** The maximum length of one value of the service in a result, in UTF-16 code units. */
const maxValueLength = 500

/** Shows invisible characters and cuts the text, never within a character or a code point's name. */
const clip = (text: string, length = maxValueLength): string => {
  const shown = visible(text.slice(0, length + 1))
  return shown.length <= length
    ? shown
    : `${shown.slice(0, length - 1).replace(/[\ud800-\udbff]$|<(U(\+[\dA-F]*)?)?$/, "")}…`
}

/** Quotes a value for a sentence of ours, so that it cannot be read as part of the sentence. */
export const quoted = (text: string, length = 120): string => JSON.stringify(clip(text, length))

/** Replaces every text in a value. */
export const mapTexts = <A>(value: A, replace: (text: string) => string): A => {
  const mapped = (each: unknown): unknown => {
    if (Predicate.isString(each)) return replace(each)
    if (Array.isArray(each)) return each.map(mapped)
    if (!Predicate.isObject(each)) return each
    const fields: Record<string, unknown> = { ...each }
    for (const name of Object.keys(fields)) fields[name] = mapped(fields[name])
    return fields
  }
  // The type is the same: texts stay texts, and everything else is unchanged.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return mapped(value) as A
}

/** Cuts the long texts in a value. */
export const clipAll = <A>(value: A): A => mapTexts(value, (text) => clip(text))
