/**
 * Parses CSV with a header, as RFC 4180 describes it.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { counted } from "../text/Format.ts"
import * as Header from "./Header.ts"
import { InputError } from "./InputError.ts"
import { type InvalidRow, invalid, isColumn, nameOf, type RawRow, rowLimit } from "./Row.ts"

export interface CsvOptions extends Header.ColumnOptions {
  /** Gets the cells of the header, as they are in the file. */
  readonly onHeader?: ((cells: ReadonlyArray<string>) => void) | undefined
}

const quoteProblem =
  'a quote is not closed, or is inside a text: put quotes around the whole text, and write a quote inside it twice ("")'

const rest = "the rest of the file cannot be read"

const longProblem = `a row is longer than 1 MiB, perhaps because a closing quote is missing; ${rest}`

/** What a line of a file is. */
type Read = InvalidRow | RawRow

const rowOf = (line: number, given: ReadonlyArray<string>, header: Header.Header): Read => {
  // Spreadsheets write empty cells at the end of some lines.
  const hasMore = given.slice(header.length).some((cell) => cell !== "")
  if (given.length < header.length || hasMore) {
    return invalid(
      { line, given },
      `it has ${counted(given.length, "cell")}, and the header has ${header.length}: put quotes around a text that contains the delimiter`
    )
  }
  const cells = new Map<string, string>()
  for (const [index, names] of header.entries()) {
    const cell = given[index] ?? ""
    if (cell !== "") for (const name of names) cells.set(name, cell)
  }
  return { _tag: "RawRow", line, given, cells }
}

const delimiters = [",", ";", "\t", "|"]

/** Spreadsheets write this line before the header. */
const separatorLine = /^"?sep=(.)"?$/i

const isSeparatorLine = (cells: ReadonlyArray<string>): boolean =>
  /^sep=.?$/i.test(cells[0] ?? "") && cells.slice(1).every((cell) => cell === "")

const score = (line: string, delimiter: string): number => {
  const names = line.split(delimiter).map((cell) => nameOf(cell.replaceAll('"', "")))
  // A known name counts more than any number of cells.
  return names.filter(isColumn).length * rowLimit + names.length
}

/** Returns the delimiter, or undefined as long as the first line that is not empty goes on. */
const delimiterOf = (text: string): string | undefined => {
  const [line = "", ...more] = text.replace(/^[\r\n]+/, "").split(/[\r\n]/, 2)
  if (more.length === 0 && text.length <= rowLimit) return undefined
  const given = separatorLine.exec(line.trim())?.[1]
  if (given !== undefined) return given
  const scores = delimiters.map((delimiter) => score(line, delimiter))
  return delimiters[scores.indexOf(Math.max(...scores))]
}

/** A cell: its text in quotes and the closing quote, or its text without quotes; then what ends it. */
const cellPattern = (delimiter: string): RegExp => {
  const mark = `\\u{${delimiter.charCodeAt(0).toString(16)}}`
  const quoted = '"([^"]*(?:""[^"]*)*)("|$)'
  return new RegExp(`(?:${quoted}|([^"\\r\\n${mark}]*))(${mark}|\\r\\n|\\r|\\n)?`, "uy")
}

const lineEnd = /\r\n|\r|\n/g
const restOfLine = /[^\r\n]*(?:\r\n|\r|\n)?/y

const isLineEnd = (end: string): boolean => end === "\n" || end === "\r" || end === "\r\n"

/** A line of cells. `problem`: a quote is where none may be, so that its cells cannot be told apart. */
interface Parsed {
  readonly cells: ReadonlyArray<string>
  /** Where the next one begins. */
  readonly end: number
  readonly problem?: "open-quote" | "wrong-quote"
}

/** Parses the cells at `start`. Reads on until a line ends outside quotes, or the text. */
const parse = (text: string, start: number, pattern: RegExp): Parsed => {
  const cells = new Array<string>()
  pattern.lastIndex = start
  while (true) {
    const [, quoted, close, plain = "", end] = pattern.exec(text) ?? []
    if (close === "") return { cells, end: text.length, problem: "open-quote" }
    if (end === undefined) {
      restOfLine.lastIndex = pattern.lastIndex
      restOfLine.exec(text)
      return { cells, end: restOfLine.lastIndex, problem: "wrong-quote" }
    }
    cells.push(quoted?.replaceAll('""', '"') ?? plain)
    if (isLineEnd(end)) return { cells, end: pattern.lastIndex }
  }
}

const parserOf = (file: string, options: CsvOptions) => {
  let pattern: RegExp | undefined
  let header: Header.Header | undefined
  /** The text that is not parsed yet, and the line on which it begins. */
  let text = ""
  let line = 1

  const wrong = (problems: ReadonlyArray<string>, isUsage = false) =>
    new InputError({ file, line, problems, isUsage })

  const readHeader = (cells: ReadonlyArray<string>): InputError | ReadonlyArray<Read> => {
    const result = Header.read(cells, options)
    if ("header" in result) {
      header = result.header
      options.onHeader?.(cells)
      return []
    }
    if (options.only === undefined || !result.problems.includes(Header.missing)) {
      return wrong(result.problems, true)
    }
    header = [[options.only]]
    return [rowOf(line, cells, header)]
  }

  const readLine = ({ cells, problem }: Parsed, lines: number) => {
    if (problem === "open-quote") return wrong([`${quoteProblem}; ${rest}`])
    if (problem !== undefined) {
      if (header === undefined) return wrong([quoteProblem], true)
      return Array.from({ length: lines }, (_, index) =>
        invalid({ line: line + index, given: [] }, quoteProblem)
      )
    }
    if (cells.every((cell) => cell === "")) return []
    if (header !== undefined) return [rowOf(line, cells, header)]
    return isSeparatorLine(cells) ? [] : readHeader(cells)
  }

  /** Returns the rows that the text ends. The last text is a line end, for files whose last line has none. */
  return Effect.fnUntraced(function* (more: string, isLast: boolean) {
    text += more
    const delimiter = pattern === undefined ? delimiterOf(text) : undefined
    if (delimiter !== undefined) pattern = cellPattern(delimiter)
    const rows = new Array<Read>()
    let start = 0
    const known = pattern
    while (start < text.length) {
      // The delimiter is not known before the first line has ended.
      if (known === undefined) break
      const parsed = parse(text, start, known)
      if (parsed.end - start > rowLimit) return yield* Effect.fail(wrong([longProblem]))
      // What ends where the text ends may go on: in quotes, or with the LF of a CRLF.
      if (parsed.end === text.length && !isLast) break
      const lines = text.slice(start, parsed.end).match(lineEnd)?.length ?? 0
      const read = readLine(parsed, lines)
      if (read instanceof InputError) return yield* Effect.fail(read)
      rows.push(...read)
      line += lines
      start = parsed.end
    }
    text = text.slice(start)
    if (isLast && header === undefined && options.only === undefined) {
      line = 1
      return yield* Effect.fail(wrong([Header.missing], true))
    }
    return rows
  })
}

/** Returns the rows in chunks. Each run of the stream reads the text from its beginning. */
export const records = (
  file: string,
  text: Stream.Stream<string, InputError>,
  options: CsvOptions
): Stream.Stream<ReadonlyArray<Read>, InputError> =>
  Stream.suspend(() => {
    const push = parserOf(file, options)
    return Stream.concat(
      Stream.mapEffect(text, (some) => push(some, false)),
      Stream.fromEffect(Effect.suspend(() => push("\n", true)))
    )
  })
