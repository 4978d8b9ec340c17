/**
 * Parses CSV. A quote inside a cell belongs to its text. Where programs read a quote in different ways, nobody can
 * say where a text ends, and the file is not read: a quote that begins a cell must close at its end, and one that
 * ends a cell must open at its beginning.
 */
import { nameOf, rowLimit } from "./Row.ts"

export type Cells = ReadonlyArray<string>

/** A row of a file that is not empty. */
export interface CsvRow {
  /**
   * Its number in a spreadsheet, from 1: an empty line counts, and a text with line breaks is in one row. Without such
   * texts, it is that of the line.
   */
  readonly line: number
  readonly cells: Cells
  readonly delimiter: string
  /** Whether a line break ends it. Only the last row may have none. */
  readonly isEnded: boolean
  /** Why the file cannot be read from this row on. It is the last one. */
  readonly problem: string | undefined
}

export const isEmpty = (cells: Cells): boolean => cells.every((cell) => cell.trim() === "")

export const lineEnd = /\r\n|\r|\n/

const tornRow =
  'a text of this row has a quote at one end only, or goes on after its closing quote, so that the rows around it cannot be told apart: put quotes around the whole text, and write a quote inside it twice ("")'

const longRow =
  "a row is longer than 1 MiB, perhaps because a closing quote is missing; the rest of the file cannot be read"

/** Whether a text without quotes around it ends with a quote that opens nowhere. */
const onlyCloses = (text: string): boolean =>
  text.trimEnd().endsWith('"') && text.split('"').length % 2 === 0

/**
 * Returns what reads the row that begins at a place of a text, and says where it ends. It is not whole if a quote is
 * at one end of a cell only, which may be because the text ends before. Blanks around quotes do not count.
 */
const rowReader = (delimiter: string) => {
  const mark = `\\u${delimiter.charCodeAt(0).toString(16).padStart(4, "0")}`
  const end = `(${mark}|\\r\\n?|\\n|$)`
  const inQuotes = ` *"([^"]*(?:""[^"]*)*)(?:" *${end}|$)`
  const plain = `(?! *")([^${mark}\\r\\n]*)${end}`
  const cell = new RegExp(`${inQuotes}|${plain}`, "y")
  return (text: string, from: number) => {
    const cells: Array<string> = []
    let isTorn = false
    cell.lastIndex = from
    for (;;) {
      const [, quoted, endOfQuoted, unquoted = "", stop = endOfQuoted] = cell.exec(text) ?? []
      cells.push(quoted?.replaceAll('""', '"') ?? unquoted)
      isTorn ||= onlyCloses(unquoted)
      if (stop !== delimiter) {
        const isWhole = stop !== undefined && !isTorn
        return { cells, end: cell.lastIndex, isEnded: stop !== "", isWhole }
      }
    }
  }
}

/** A spreadsheet writes so a number that it changed, where people write a comma in numbers: it is one cell of a file with one column. */
const changedNumber = /^ *(\d,\d+E\+\d+)[ ;\t\r\n]*$/i

/** Spreadsheets write this line before the header. */
const separatorLine = /^\s*"?sep=([^ "\r\n])/i

const isSeparatorLine = ([first = "", ...others]: Cells): boolean =>
  /^sep=.?$/i.test(first) && isEmpty(others)

const candidates = [",", ";", "\t", "|"]

/** The delimiter with which the first row has the most names of columns, or else the most cells. */
const delimiterOf = (text: string, columns: ReadonlySet<string>): string => {
  const scores = candidates.map((delimiter) => {
    const { cells } = rowReader(delimiter)(text.trimStart(), 0)
    return cells.filter((cell) => columns.has(nameOf(cell))).length * rowLimit + cells.length
  })
  const best = candidates[scores.indexOf(Math.max(...scores))]
  return separatorLine.exec(text)?.[1] ?? best ?? ","
}

/** How many bytes are decoded at once. Those at the beginning have the header, or enough of it to know the delimiter. */
const window = 64 * 1024

/** The text of some bytes, without a character that goes on after them. */
const textAt = (utf8: Buffer, from: number, size: number): string => {
  let end = from + size
  while (((utf8[end] ?? 0) & 0xc0) === 0x80) end--
  return utf8.toString("utf8", from, end)
}

/**
 * The rows of a text in UTF-8, the header included, without those that are empty. `columns` are the names by which a
 * header is recognised.
 */
export function* rows(utf8: Buffer, columns: ReadonlySet<string>): Generator<CsvRow> {
  const delimiter = delimiterOf(textAt(utf8, 0, window), columns)
  const rowAt = rowReader(delimiter)
  let [line, isFirst, isOneColumn, size] = [1, true, true, window]
  for (let at = 0; at < utf8.length;) {
    const text = textAt(utf8, at, size)
    const isLast = at + size >= utf8.length
    let from = 0
    while (from < text.length) {
      const { cells: found, end, isEnded, isWhole } = rowAt(text, from)
      const changed =
        isOneColumn && found.length === 2
          ? changedNumber.exec(text.slice(from, end))?.[1]
          : undefined
      const cells = changed === undefined ? found : [changed]
      const isLong = end - from > rowLimit
      // The row may go on.
      if (end === text.length && !isLast && !isLong) break
      const problem = isLong ? longRow : isWhole ? undefined : tornRow
      const isSeparator = isFirst && isSeparatorLine(cells)
      const isNothing = isEmpty(cells) || isSeparator
      if (!isNothing || problem !== undefined) {
        yield { line, cells, delimiter, isEnded, problem }
      }
      if (problem !== undefined) return
      isOneColumn &&= isNothing || cells.length === 1
      isFirst &&= isNothing
      // Spreadsheets do not show it.
      if (!isSeparator) line++
      from = end
    }
    at += Buffer.byteLength(text.slice(0, from))
    size = from === 0 ? 2 * size : window
  }
}
