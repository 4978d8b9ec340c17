/**
 * Parses CSV. A quote inside a cell belongs to its text. Where programs read a quote in different ways, nobody can
 * say where a text ends, and the file is not read: a quote that begins a cell must close at its end, and one that
 * ends a cell must open at its beginning.
 */
import { isReadonlyArrayNonEmpty } from "effect/Array"
import * as Stream from "effect/Stream"
import { nameOf, rowLimit } from "./Row.ts"

export type Cells = ReadonlyArray<string>

/** A row of a file that is not empty. */
export interface CsvRow {
  /** The line on which it begins, from 1. */
  readonly line: number
  readonly cells: Cells
  readonly delimiter: string
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
        return { cells, end: cell.lastIndex, isWhole: stop !== undefined && !isTorn }
      }
    }
  }
}

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

/** Reads the pieces of a text, and undefined at its end. Returns the rows that are complete. */
const readerOf = (columns: ReadonlySet<string>) => {
  let text = ""
  let delimiter = ""
  let rowAt: ReturnType<typeof rowReader> | undefined
  let [isFirst, isReadable] = [true, true]
  /** The line on which the next row begins. */
  let line = 1
  /** How long the text must be to be read. Its beginning has the header, or enough of it to know the delimiter. */
  let enough = 64 * 1024

  return (piece: string | undefined): ReadonlyArray<CsvRow> => {
    const rows: Array<CsvRow> = []
    const isLast = piece === undefined
    text += piece ?? ""
    if (text.length < enough && !isLast) return rows
    delimiter ||= delimiterOf(text, columns)
    rowAt ??= rowReader(delimiter)
    let from = 0
    while (from < text.length && isReadable) {
      const { cells, end, isWhole } = rowAt(text, from)
      const isLong = end - from > rowLimit
      // The row may go on.
      if (end === text.length && !isLast && !isLong) break
      const problem = isLong ? longRow : isWhole ? undefined : tornRow
      isReadable = problem === undefined
      const isNothing = isEmpty(cells) || (isFirst && isSeparatorLine(cells))
      if (!isNothing || !isReadable) {
        rows.push({ line, cells, delimiter, problem })
        isFirst = false
      }
      line += text.slice(from, end).split(lineEnd).length - 1
      from = end
    }
    text = isReadable ? text.slice(from) : ""
    // A long row is not read again with each piece.
    enough = 2 * text.length
    return rows
  }
}

/**
 * The rows of a file, the header included, without those that are empty. `columns` are the names by which a header
 * is recognised. Each run of the stream reads the text from its beginning.
 */
export const rows = <E>(
  text: Stream.Stream<string, E>,
  columns: ReadonlySet<string>
): Stream.Stream<CsvRow, E> =>
  Stream.suspend(() =>
    Stream.concat(text, Stream.succeed(undefined)).pipe(
      Stream.map(readerOf(columns)),
      // What `flatMap` has emitted would stay in memory until a full collection.
      Stream.filter(isReadonlyArrayNonEmpty),
      Stream.flattenArray
    )
  )
