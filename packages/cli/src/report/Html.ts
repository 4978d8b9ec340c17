/** HTML templates that escape every value. */

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

/**
 * Invisible characters, and characters that change the direction of text. Joiners stay: words and emoji
 * need them.
 */
const invisible = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/gu

const escaped = (text: string): string =>
  text
    .replaceAll(invisible, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? "")

const isHtml = (part: Html | ReadonlyArray<Part>): part is Html => brand in part

const sourceOf = (part: Part): string => {
  if (part === undefined) return ""
  if (typeof part !== "object") return escaped(String(part))
  return isHtml(part) ? part[brand] : part.map(sourceOf).join("")
}

/**
 * Keeps the literal parts of the template as HTML, and escapes every value, in text and in quoted
 * attributes.
 */
export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html => ({
  [brand]: strings.map((string, index) => `${string}${sourceOf(parts[index])}`).join("")
})

/** Keeps a constant of this program as HTML, without escaping. */
export const trusted = (source: string): Html => ({ [brand]: source })

export const render = (page: Html): string => page[brand]

interface Table {
  readonly name: string
  readonly caption: Part
  readonly heads: ReadonlyArray<string>
  /** The cells of each row, of which the first is its head. */
  readonly rows: ReadonlyArray<ReadonlyArray<Part>>
}

export const tableOf = ({ caption, heads, name, rows }: Table): Html => {
  const rowOf = ([head, ...cells]: ReadonlyArray<Part>): Html =>
    html`<tr>
      <th scope="row">${head}</th>
      ${cells.map((cell) => html`<td>${cell}</td>`)}
    </tr>`
  return html`<table data-table="${name}">
    <caption>
      ${caption}
    </caption>
    <thead>
      <tr>
        ${heads.map((head) => html`<th scope="col">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(rowOf)}
    </tbody>
  </table>`
}
