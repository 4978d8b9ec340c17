/** A text with placeholders for the columns of a file, such as `Hello {name}`. */
import { doubtfulIn } from "@messaging-topup/core/internal"
import { type Cells, nameOf, rowLimit, simplified } from "./Row.ts"

/** `{{name}}` is read as `{name}`, because many tools write it so. */
const placeholder = /\{\{([^{}]*)\}\}|\{([^{}]*)\}/g

export interface Template {
  /** The columns that it uses. */
  readonly columns: ReadonlySet<string>
  /** What is before, between and after them. */
  readonly texts: ReadonlyArray<string>
  /** Returns the text of a row, or the problem with a column. */
  readonly render: (
    cells: Cells
  ) => { readonly text: string } | { readonly column: string; readonly problem: string }
}

/** Whether a word in braces or other signs is one of these columns. */
export const namedBy = (columns: ReadonlyArray<string>): ((word: string) => boolean) => {
  const names = new Set(columns.map(simplified).filter(Boolean))
  return (word) => names.has(simplified(word))
}

/** Whether a text has what a template would have filled: a column of the list, or any name in double braces. */
export const hasUnfilled = (text: string, isColumn: ReturnType<typeof namedBy>): boolean =>
  doubtfulIn("message", text, isColumn).some(
    ({ why, word }) => why === "placeholder" && (word.startsWith("{{") || isColumn(word))
  )

/** What people type for a line break or a tab: a shell does not read it so. */
const escape = /\\[nrt]/

/** Returns the template, or its problem. */
export const make = (source: string): Template | string => {
  if (source.trim() === "") return "it is empty"
  const typed = escape.exec(source)?.[0]
  if (typed !== undefined) {
    return `it has ${typed}, which goes out as two characters: for a line break, press Enter inside its quotes; for a tab, write blanks`
  }
  // Splitting at an expression with two groups gives text, group, group, text and so on.
  const pieces = source.split(placeholder)
  const texts = pieces.filter((_, index) => index % 3 === 0)
  if (texts.some((text) => /[{}]/.test(text))) {
    return "a brace is missing or too many: write a column as {name}; a text cannot contain braces"
  }
  const names = Array.from(source.matchAll(placeholder), ([, double, single]) =>
    nameOf(double ?? single ?? "")
  )
  if (names.includes("")) return "a column has no name: write it as {name}"

  const render: Template["render"] = (cells) => {
    let text = texts[0] ?? ""
    for (const [index, column] of names.entries()) {
      const cell = cells.get(column)
      if (cell === undefined) return { column, problem: "it is empty, and the template uses it" }
      text += cell + (texts[index + 1] ?? "")
      // A long cell that is used often could fill the memory.
      if (text.length > rowLimit) return { column, problem: "it makes the text longer than 1 MiB" }
    }
    return { text }
  }
  return { columns: new Set(names), texts, render }
}
