/** Parses CSV with a header, as RFC 4180 describes it. */
import { type CsvError, type InfoRecord, Parser } from "csv-parse"
import { isReadonlyArrayNonEmpty } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { counted } from "@messaging-topup/command"
import * as Header from "./Header.ts"
import { InputError } from "../Failure.ts"
import * as Recipient from "./Recipient.ts"
import { type InvalidRow, invalid, isColumn, nameOf, type RawRow, rowLimit } from "./Row.ts"

export interface CsvOptions extends Header.ColumnOptions {
  /** Gets the cells of the header, as they are in the file, and the delimiter. */
  readonly onHeader?: ((cells: ReadonlyArray<string>, delimiter: string) => void) | undefined
}

/** Replaces the parser's error text, which contains text of the file. */
const quoteProblem =
  'a quote is inside a text: put quotes around the whole text, and write a quote inside it twice ("")'

/** The parser cannot tell which of the rows that follow belong to the text. */
const openProblem =
  'a quote that opens in this row is not closed, or is closed inside a text, so that the rows after it cannot be told apart: put quotes around the whole text, and write a quote inside it twice ("")'

const swallowsRow =
  "a text of this row has a line that looks like a row of its own: close the quote before it; if it belongs to the text, save the file with another delimiter"

const unreadable =
  "a row is longer than 1 MiB, perhaps because a closing quote is missing; the rest of the file cannot be read"

const recordOf = (
  line: number,
  given: ReadonlyArray<string>,
  header: Header.Header
): InvalidRow | RawRow => {
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

const candidates = [",", ";", "\t", "|"]

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
const delimiterOf = (text: string, isWhole: boolean): string | undefined => {
  const [line = "", ...rest] = text.replace(/^[\r\n]+/, "").split(/[\r\n]/, 2)
  if (rest.length === 0 && !isWhole && text.length <= rowLimit) return undefined
  const given = separatorLine.exec(line.trim())?.[1]
  if (given !== undefined) return given
  const scores = candidates.map((delimiter) => score(line, delimiter))
  return candidates[scores.indexOf(Math.max(...scores))] ?? ","
}

const lineEnd = /\r\n|\r|\n/g

/** Lines that end inside a text. */
const linesWithin = (cell: string): number => cell.match(lineEnd)?.length ?? 0

/**
 * Whether a text contains rows: a quote was not closed, and a later one closed it. Then a line of it has the
 * cells of the columns that it would be in, with a number in that of the recipients.
 */
const hasRow = (
  cells: ReadonlyArray<string>,
  header: Header.Header,
  delimiter: string
): boolean => {
  const recipient = header.findIndex((names) => names.includes("recipient"))
  return cells.some((cell, column) => {
    const lines = cell.split(lineEnd)
    return lines.some((line, index) => {
      const first = index === 0 ? column : 0
      const count = (index === lines.length - 1 ? column + 1 : header.length) - first
      const found = line.split(delimiter)
      const number = Recipient.clean(found[recipient - first] ?? "")
      return (
        lines.length > 1 &&
        count > 1 &&
        found.length >= count &&
        found.slice(count).every((more) => more === "") &&
        number !== "" &&
        Recipient.problemOf(number) === undefined
      )
    })
  })
}

/** The parser counts CRLF inside quotes as two lines. */
const countedTwice = (cell: string): number => cell.match(/\r\n/g)?.length ?? 0

const parserOf = (file: string, options: CsvOptions) => {
  let found: Array<InvalidRow | RawRow> = []
  let failure: InputError | undefined
  let header: Header.Header | undefined
  let surplus = 0
  let [fed, read, lastSkipped] = [0, 0, 0]
  /** The line on which the next row begins. */
  let begin = 1
  let delimiter: string | undefined

  const fail = (problems: ReadonlyArray<string>, line: number, isUsage = false) => {
    failure ??= new InputError({ file, line, problems, isUsage })
  }

  const readHeader = (line: number, cells: ReadonlyArray<string>): void => {
    const result = Header.read(cells, options)
    if ("header" in result) {
      header = result.header
      options.onHeader?.(cells, delimiter ?? ",")
    } else if (options.only !== undefined && result.problems.includes(Header.missing)) {
      header = [[options.only]]
      found.push(recordOf(line, cells, header))
    } else fail(result.problems, line, true)
  }

  const onRecord = (cells: ReadonlyArray<string>, { bytes, lines }: InfoRecord & Lines): null => {
    if (failure !== undefined) return null
    const isLong = bytes - read > rowLimit
    read = bytes
    const isMultiline = cells.some((cell) => cell.includes("\n") || cell.includes("\r"))
    if (isMultiline) surplus += cells.reduce((sum, cell) => sum + countedTwice(cell), 0)
    const last = lines - surplus
    const line = isMultiline ? last - cells.reduce((sum, cell) => sum + linesWithin(cell), 0) : last
    // A wrong row does not end at its line if a quote opens later in it.
    if (line !== begin) fail([openProblem], begin - 1)
    begin = last + 1
    if (isLong) fail([unreadable], line)
    else if (!cells.every((cell) => cell === "")) {
      if (isMultiline && header !== undefined && hasRow(cells, header, delimiter ?? "")) {
        fail([swallowsRow], line)
      }
      if (header !== undefined) found.push(recordOf(line, cells, header))
      else if (!isSeparatorLine(cells)) readHeader(line, cells)
    }
    return null
  }

  const onSkip = (error: (CsvError & Partial<Lines>) | undefined): undefined => {
    if (failure !== undefined || error === undefined) return
    const { bytes, code, lines = 1 } = error
    const line = lines - surplus
    if (typeof bytes === "number") read = Math.max(read, bytes)
    if (code !== "INVALID_OPENING_QUOTE") fail([openProblem], begin, header === undefined)
    else if (header === undefined) fail([quoteProblem], line, true)
    else if (line !== lastSkipped) found.push(invalid({ line, given: [] }, quoteProblem))
    lastSkipped = line
    begin = line + 1
  }

  const makeParser = (by: string) =>
    new Parser({
      delimiter: by,
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      skip_records_with_error: true,
      on_record: onRecord,
      on_skip: onSkip
    })

  let parser: Parser | undefined
  let before = ""

  /** Writes a chunk, after the chunks that waited for the delimiter. */
  const write = (text: string, isLast: boolean) =>
    Effect.callback<void>((resume) => {
      before += text
      if (parser === undefined) {
        delimiter = delimiterOf(before, isLast)
        if (delimiter === undefined) return resume(Effect.void)
        parser = makeParser(delimiter)
      }
      const bytes = Buffer.from(before)
      before = ""
      fed += bytes.length
      const done = () => resume(Effect.void)
      if (isLast) parser.end(bytes, done)
      else parser.write(bytes, done)
    })

  const takeRecords = (isLast: boolean) =>
    Effect.suspend(() => {
      if (fed - read > rowLimit) fail([unreadable], begin)
      const last = (parser?.info.lines ?? 0) - surplus
      if (isLast && lastSkipped > 0 && last >= begin) fail([openProblem], begin - 1)
      if (isLast && header === undefined && options.only === undefined) {
        fail([Header.missing], 1, true)
      }
      if (failure !== undefined) return Effect.fail(failure)
      const records: ReadonlyArray<InvalidRow | RawRow> = found
      found = []
      return Effect.succeed(records)
    })

  /** Reads a piece of the text, or its end. Returns the rows that are complete. */
  return (piece: string | undefined) =>
    Effect.andThen(write(piece ?? "", piece === undefined), takeRecords(piece === undefined))
}

interface Lines {
  readonly lines: number
}

/** Each run of the stream reads the text from its beginning. */
export const records = (
  file: string,
  text: Stream.Stream<string, InputError>,
  options: CsvOptions
): Stream.Stream<InvalidRow | RawRow, InputError> =>
  Stream.suspend(() => {
    const read = parserOf(file, options)
    return Stream.concat(text, Stream.succeed(undefined)).pipe(
      Stream.mapEffect((piece) => read(piece)),
      // What `flatMap` has emitted would stay in memory until a full collection.
      Stream.filter(isReadonlyArrayNonEmpty),
      Stream.flattenArray
    )
  })
