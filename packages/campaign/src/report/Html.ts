/**
 * HTML, in which every value that comes from elsewhere is text.
 */

const brand: unique symbol = Symbol("Html")

export interface Html {
  readonly [brand]: string
}

export type Part = Html | string | number | undefined | ReadonlyArray<Part>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** What cannot be seen, or turns the order of what can be. Joiners stay: words and emoji need them. */
const unseen = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/gu

const escaped = (text: string): string =>
  text
    .replaceAll(unseen, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? "")

const isHtml = (part: Html | ReadonlyArray<Part>): part is Html => brand in part

const sourceOf = (part: Part): string => {
  if (part === undefined) return ""
  if (typeof part !== "object") return escaped(String(part))
  return isHtml(part) ? part[brand] : part.map(sourceOf).join("")
}

/** The indentation of the program is none of the page's. */
const compact = (source: string): string =>
  source.replaceAll(/>\n\s*</g, "><").replaceAll(/\n\s*/g, "\n")

/** Trusts what the program wrote and escapes every value, in text and in quoted attributes. */
export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html => ({
  [brand]: strings.map((string, index) => `${compact(string)}${sourceOf(parts[index])}`).join("")
})

/** A constant of this program, as it is. */
export const trusted = (source: string): Html => ({ [brand]: source })

export const render = (page: Html): string => page[brand]
