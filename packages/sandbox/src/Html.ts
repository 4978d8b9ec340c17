/** HTML as text, for the inbox and for the report of a campaign. Every value is escaped, unless it is HTML itself. */
import { codePoint, invisible } from "@messaging-topup/core/internal"
import * as Data from "effect/Data"

export class Html extends Data.Class<{ readonly text: string }> {}

export type Value = Html | string | number | undefined | ReadonlyArray<Value>

const entities = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"]
])

const isList = (value: Value): value is ReadonlyArray<Value> => Array.isArray(value)

const written = (value: Value): string => {
  if (value === undefined) return ""
  if (value instanceof Html) return value.text
  if (isList(value)) return value.map(written).join("")
  return String(value).replace(/[&<>"']/g, (character) => entities.get(character) ?? "")
}

export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<Value>): Html =>
  new Html({ text: String.raw({ raw: strings }, ...values.map(written)) })

export const when = (condition: boolean, shown: () => Html): Html | undefined =>
  condition ? shown() : undefined

/** Also other blanks than a space: they can make one number look like another. */
const odd = new RegExp(`(${invisible.source}|(?! )\\p{Zs})`, "u")

/** Splits a text: at the odd places are the characters that show nothing, and the blanks that are no space. */
export const partsOf = (text: string): ReadonlyArray<string> => text.split(odd)

/** A text that hides no character. */
export const visible = (text: string): string =>
  partsOf(text)
    .map((part, index) => (index % 2 === 0 ? part : codePoint(part)))
    .join("")
