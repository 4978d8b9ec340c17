/** The rows of a file below its header, by the names of their columns. */
import { counted } from "@messaging-topup/command"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Cells, type CsvRow, isEmpty, lineEnd, rows } from "./Csv.ts"
import type { Header, Reading } from "./Header.ts"
import { InputError } from "../CommandError.ts"
import * as Recipient from "./Recipient.ts"
import { type InvalidRow, invalid, type RawRow } from "./Row.ts"
import { fromResult } from "../words/ResultColumns.ts"

const recordOf = ({ cells: given, line }: CsvRow, header: Header): InvalidRow | RawRow => {
  // Spreadsheets write empty cells at the end of some lines.
  if (given.length < header.length || !isEmpty(given.slice(header.length))) {
    return invalid(
      { line, given },
      `it has ${counted(given.length, "cell")}, and the header has ${header.length}: put quotes around a text that contains the delimiter`
    )
  }
  const cells = new Map<string, string>()
  for (const [index, names] of header.entries()) {
    const cell = given[index] ?? ""
    if (cell.trim() !== "") for (const name of names) cells.set(name, cell)
  }
  return { _tag: "RawRow", line, given, cells }
}

const swallowsRow =
  "a text of this row has a line that looks like a row of its own: close the quote before it; if it belongs to the text, save the file with another delimiter"

/**
 * Whether a text contains a row: a quote was not closed, and a later one closed it. Then a line of it has the cells
 * of the columns that it would be in, with a number in that of the recipients.
 */
const hasRow = ({ cells, delimiter }: CsvRow, header: Header): boolean => {
  if (!cells.some((cell) => lineEnd.test(cell))) return false
  const recipient = header.findIndex((names) => names.includes("recipient"))
  const isRow = (found: Cells, first: number, end: number): boolean =>
    found.length >= Math.min(end, header.length) - first &&
    isEmpty(found.slice(header.length - first)) &&
    found.some((cell, at) => at !== recipient - first && cell.trim() !== "") &&
    Recipient.read(found[recipient - first] ?? "").problem === undefined
  return cells.some((cell, column) => {
    const lines = cell.split(lineEnd)
    return (
      lines.length > 1 &&
      lines.some((line, index) => {
        const first = index === 0 ? column : 0
        const end = index === lines.length - 1 ? column + 1 : header.length
        return isRow(line.split(delimiter), first, end)
      })
    )
  })
}

/** Each run of the stream reads the text from its beginning. */
export const records = (
  file: string,
  text: Stream.Stream<string, InputError>,
  { columns, header: headerOf, isResults }: Reading
): Stream.Stream<InvalidRow | RawRow, InputError> => {
  const failure = (line: number, problems: ReadonlyArray<string>, isUsage: boolean) =>
    new InputError({ file, line, problems, isUsage })

  const read = Effect.fnUntraced(function* (
    known: Header | undefined,
    some: ReadonlyArray<CsvRow>
  ): Effect.fn.Return<
    readonly [Header | undefined, ReadonlyArray<InvalidRow | RawRow>],
    InputError
  > {
    const found: Array<InvalidRow | RawRow> = []
    let header = known
    for (const each of some) {
      const row = isResults === true ? { ...each, cells: each.cells.map(fromResult) } : each
      if (row.problem !== undefined) {
        return yield* failure(row.line, [row.problem], header === undefined)
      }
      if (header === undefined) {
        const result = headerOf(row)
        if ("problems" in result) return yield* failure(row.line, result.problems, true)
        header = result.header
        if (result.isRow !== true) continue
      }
      if (hasRow(row, header)) return yield* failure(row.line, [swallowsRow], false)
      found.push(recordOf(row, header))
    }
    return [header, found]
  })

  return rows(text, columns).pipe(
    Stream.mapAccumArrayEffect((): Header | undefined => undefined, read)
  )
}
