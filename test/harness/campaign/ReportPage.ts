/**
 * Reads texts, tables and numbers from the source of a page.
 */
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'"
}

/** Returns the text that a person reads, with single spaces. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll(/&([#\w]+);/g, (entity, name) => entities[name] ?? entity)

const between = (html: string, start: RegExp, end: string): string | undefined => {
  const found = start.exec(html)
  if (found === null) return undefined
  const from = found.index + found[0].length
  return html.slice(from, html.indexOf(end, from))
}

/** Returns the cells of a table without its head; undefined if the page does not have the table. */
export const tableOf = (
  html: string,
  name: string
): ReadonlyArray<ReadonlyArray<string>> | undefined =>
  between(html, new RegExp(`<table[^>]*data-table="${name}"[^>]*>`), "</table>")
    ?.split("<tbody>")[1]
    ?.split("<tr>")
    .slice(1)
    .map((row) =>
      row
        .split(/<t[hd]\b[^>]*>/)
        .slice(1)
        .map(textOf)
    )

const numberOf = (text: string | undefined): number => Number(text?.replaceAll(",", ""))

/** Returns a count of the page: of a state, `total` or `impossible`. */
export const countOf = (html: string, name: string): number =>
  numberOf(textOf(between(html, new RegExp(`data-count="${name}"[^>]*>`), "</") ?? ""))
