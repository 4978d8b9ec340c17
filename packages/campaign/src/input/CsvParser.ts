/**
 * Parses CSV with a header, as RFC 4180 describes it.
 */
import { type CsvError, type InfoRecord, Parser } from "csv-parse"
import * as Effect from "effect/Effect"
import { isUtf8 } from "node:buffer"
import type { ColumnOptions } from "./Columns.ts"
import * as Delimiter from "./Delimiter.ts"
import * as Header from "./Header.ts"
import { InputError } from "./InputError.ts"
import * as Lines from "./Lines.ts"
import type { RecordParser } from "./RecordParser.ts"
import { type InvalidRow, invalid, notUtf8, type RawRow, rowLimit, tooLong } from "./Row.ts"

export interface CsvOptions extends ColumnOptions {
  /** Default: recognised by the first line. */
  readonly delimiter?: string | undefined
}

/** Replaces the parser's error text, which contains text of the file. */
const quoteProblem =
  'a quote is not closed, or is inside a text: put quotes around the whole text, and write a quote inside it twice ("")'

const unreadable = `a row ${tooLong}, perhaps because a closing quote is missing; the rest of the file cannot be read`

const isAscii = /^[\0-\x7f]*$/

/** Returns the text of a cell; undefined if it is not UTF-8. */
const decoded = (cell: string): string | undefined => {
  if (isAscii.test(cell)) return cell
  const bytes = Buffer.from(cell, "latin1")
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined
}

const counted = (count: number, thing: string): string =>
  `${count} ${thing}${count === 1 ? "" : "s"}`

const recordOf = (
  line: number,
  cells: ReadonlyArray<string>,
  header: Header.Header
): InvalidRow | RawRow => {
  // Spreadsheets write empty cells at the end of some lines.
  const hasMore = cells.slice(header.length).some((cell) => cell !== "")
  if (cells.length < header.length || hasMore) {
    return invalid(
      line,
      `it has ${counted(cells.length, "cell")}, and the header has ${header.length}: put quotes around a text that contains the delimiter`
    )
  }
  const found = new Map<string, string>()
  for (const [index, column] of header.entries()) {
    const cell = cells[index]
    if (column === undefined || cell === undefined || cell === "") continue
    const text = decoded(cell)
    if (text === undefined) return invalid(line, notUtf8, column)
    found.set(column, text)
  }
  return { _tag: "RawRow", line, cells: found }
}

export const make = (file: string, options: CsvOptions): RecordParser => {
  const lines = Lines.make()
  let found = new Array<InvalidRow | RawRow>()
  let failure: InputError | undefined
  let header: Header.Header | undefined
  let fed = 0
  /** The number of bytes up to the end of the last row. */
  let read = 0
  let lastSkipped = 0

  const fail = (problem: string, line: number, isUsage = false) => {
    failure ??= new InputError({ file, line, problem, isUsage })
  }

  const delimiterHint = (problem: string): string =>
    problem === Header.missing && options.delimiter !== undefined
      ? "; without --delimiter, the character between the columns is recognised"
      : ""

  const onRecord = (cells: ReadonlyArray<string>, { bytes }: InfoRecord): null => {
    if (failure !== undefined) return null
    const last = lines.lineOf(bytes - 1)
    if (bytes - read > rowLimit) {
      fail(unreadable, last)
      return null
    }
    read = bytes
    if (cells.every((cell) => cell === "")) return null
    if (header === undefined && Delimiter.isSeparatorLine(cells)) return null
    const line = last - cells.reduce((sum, cell) => sum + Lines.within(cell), 0)
    if (header !== undefined) {
      found.push(recordOf(line, cells, header))
      return null
    }
    const names = cells.map(decoded)
    const result = names.includes(undefined)
      ? notUtf8
      : Header.read(
          names.map((name) => name ?? ""),
          options
        )
    if (result === Header.missing && options.only !== undefined) {
      header = [options.only]
      found.push(recordOf(line, cells, header))
    } else if (typeof result === "string") fail(result + delimiterHint(result), line, true)
    else header = result
    return null
  }

  const onSkip = (error: CsvError | undefined): undefined => {
    if (failure !== undefined || error === undefined) return
    // The position after the last good cell.
    const { bytes } = error
    const at = typeof bytes === "number" ? bytes : read
    const line = lines.lineOf(at)
    read = Math.max(read, at)
    if (error.code === "CSV_QUOTE_NOT_CLOSED")
      fail(`${quoteProblem}; the rest of the file cannot be read`, line)
    else if (header === undefined) fail(quoteProblem, line, true)
    else if (line !== lastSkipped) found.push(invalid(line, quoteProblem))
    lastSkipped = line
  }

  const parserOf = (delimiter: string) =>
    new Parser({
      delimiter,
      record_delimiter: ["\r\n", "\n", "\r"],
      // Latin-1 keeps the bytes of each cell, so that `decoded` can find text that is not UTF-8.
      encoding: "latin1",
      relax_column_count: true,
      skip_records_with_error: true,
      on_record: onRecord,
      on_skip: onSkip
    })

  const recogniser = Delimiter.make()
  let parser = options.delimiter === undefined ? undefined : parserOf(options.delimiter)

  const takeRecords = Effect.suspend(() => {
    if (failure !== undefined) return Effect.fail(failure)
    const records = found
    found = []
    return Effect.succeed(records)
  })

  /** Writes a chunk, after the chunks that waited for the delimiter. */
  const write = (bytes: Uint8Array) =>
    Effect.callback<void>((resume) => {
      let next = bytes
      if (parser === undefined) {
        const delimiter = recogniser.add(bytes)
        if (delimiter === undefined) return resume(Effect.void)
        next = recogniser.bytes()
        parser = parserOf(delimiter)
      }
      parser.write(next, () => resume(Effect.void))
    })

  const end = Effect.callback<void>((resume) => {
    const last = parser ?? parserOf(recogniser.add() ?? ",")
    if (parser === undefined) last.write(recogniser.bytes())
    last.end(() => resume(Effect.void))
  })

  return {
    push: (bytes) => {
      if (bytes.length === 0) return Effect.succeed([])
      lines.add(bytes)
      fed += bytes.length
      return Effect.andThen(
        Effect.tap(write(bytes), () =>
          Effect.sync(() => {
            if (fed - read <= rowLimit) return
            fail(unreadable, lines.lineOf(read))
          })
        ),
        takeRecords
      )
    },
    end: Effect.andThen(
      Effect.tap(end, () =>
        Effect.sync(() => {
          if (header === undefined && options.only === undefined) fail(Header.missing, 1, true)
        })
      ),
      takeRecords
    )
  }
}
