/** A file of rows: its header, and the rows below it by the names of their columns. */
import { counted } from "@messaging-topup/command"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Cells, type CsvRow, isEmpty, lineEnd, rows as csvRows } from "./Csv.ts"
import type { TextFile } from "./Encoding.ts"
import { type Header, oneCell, type Reading } from "./Header.ts"
import { InputError } from "../CommandError.ts"
import * as Recipient from "./Recipient.ts"
import { type InvalidRow, invalid, isColumn, type RawRow } from "./Row.ts"
import { fromResult } from "../words/ResultWords.ts"

/** Editors leave out the last line break of a file; in a pipe, its writer may have ended within the row. */
const mayBeCut =
  "no line break ends it, so that it may be cut: from stdin or a pipe, end each row with a line break"

/** Whether a row has the cells of the header. Spreadsheets write empty cells at the end of some lines. */
const hasItsCells = ({ cells }: CsvRow, header: Header): boolean =>
  cells.length >= header.length && isEmpty(cells.slice(header.length))

interface Line {
  readonly row: CsvRow
  readonly hasItsCells: boolean
  /** Why its text may be a part of one that lost its quotes. */
  readonly isPart?: string | undefined
}

const isPartOf = ({ line }: CsvRow, piece: string): string =>
  `line ${line} is no row, and may be the ${piece} of its text: put quotes around a text with a line break in it, as a CSV writer does, or correct or remove line ${line}`

/** Whether a column has texts. The others that go out have no line breaks. */
const isText = (names: ReadonlyArray<string>): boolean =>
  names.some((name) => name === "message" || !isColumn(name))

const plainNumber = /^\+?\d+$/

const isRecipient = (cell = ""): boolean => {
  if (plainNumber.test(cell)) return true
  const { number, problem } = Recipient.read(cell)
  return number !== "" && problem === undefined
}

/** How many lines are held at once: more lines of one text may each look like a row, but for the recipient. */
const heldLines = 512

/**
 * Each line with what those around it say. A text without quotes ends at its line break, and the rest of it has
 * another number of cells, or no recipient. Then the row before has only the beginning of the text, or the row after
 * only its end. A recipient alone that is no number says nothing of other rows.
 */
function* linesOf(all: Iterable<CsvRow>, header: Header): Generator<Line> {
  const recipient = header.findIndex((names) => names.includes("recipient"))
  const goesOn = header.slice(recipient + 1).some(isText)
  const begins = header.slice(0, recipient).some(isText)
  let held: Array<Line> = []
  /** The first line since the last row that has not the cells of one. */
  let broken: CsvRow | undefined
  for (const row of all) {
    const isWhole = hasItsCells(row, header)
    if (!isWhole) {
      const [first, ...others] = held
      if (first !== undefined) {
        yield goesOn ? { ...first, isPart: first.isPart ?? isPartOf(row, "rest") } : first
        yield* others
        held = []
      }
      broken ??= row
      yield { row, hasItsCells: false }
    } else if (isRecipient(row.cells[recipient])) {
      yield* held
      const isPart = begins && broken !== undefined ? isPartOf(broken, "beginning") : undefined
      held = [{ row, hasItsCells: true, isPart }]
      broken = undefined
    } else if (held.length > 0 && held.length < heldLines) {
      held.push({ row, hasItsCells: true })
    } else {
      yield* held
      held = []
      yield { row, hasItsCells: true }
    }
  }
  yield* held
}

const cellsOf = (given: ReadonlyArray<string>, header: Header): RawRow["cells"] => {
  const cells = new Map<string, string>()
  for (const [index, names] of header.entries()) {
    const cell = given[index] ?? ""
    if (cell.trim() !== "") for (const name of names) cells.set(name, cell)
  }
  return cells
}

/** Only the last cell of a row that may be cut is not whole: by its key, the journal knows whether it went out before. */
const cutRow = (line: number, given: ReadonlyArray<string>, header: Header): InvalidRow => {
  const key =
    given.length > header.length ? undefined : cellsOf(given.slice(0, -1), header).get("key")
  return { ...invalid({ line, given }, mayBeCut), ...(key === undefined ? {} : { key }) }
}

const rawRowOf = (
  { hasItsCells: isRow, isPart, row: { cells: given, delimiter, isEnded, line } }: Line,
  header: Header,
  isPipe: boolean
): InvalidRow | RawRow => {
  if (isPipe && !isEnded) return cutRow(line, given, header)
  if (!isRow) {
    const [first = "", ...others] = given
    if (isEmpty(others) && first.split(delimiter).length >= header.length) {
      return invalid({ line, given }, oneCell)
    }
    const orName = given.length < header.length ? "" : ", or name each column in the first line"
    return invalid(
      { line, given },
      `it has ${counted(given.length, "cell")}, and the first line has ${header.length}: put quotes around a text with ${delimiter === "\t" ? "a tab" : JSON.stringify(delimiter)} or a line break in it${orName}`
    )
  }
  return { _tag: "RawRow", line, given, cells: cellsOf(given, header), problem: isPart }
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

/** A file below its header. */
export interface Sheet {
  /** The cells of the header, as they are in the file. */
  readonly header: Cells
  readonly delimiter: string
  /** The names by which cells are known, also if those of a row are empty. */
  readonly names: ReadonlySet<string>
  /** Each run of the stream begins with the first row. */
  readonly rows: Stream.Stream<InvalidRow | RawRow, InputError>
}

/** So few that they are forgotten before they cost memory. */
const chunkSize = 512

/** Of a file without rows. */
const nothing: CsvRow = { line: 1, cells: [], delimiter: ",", isEnded: true, problem: undefined }

/** Rows that `results` wrote, as they were before. */
function* fromResults(written: Iterable<CsvRow>): Generator<CsvRow> {
  for (const row of written) yield { ...row, cells: row.cells.map(fromResult) }
}

/** Reads the header of a file. */
export const open = Effect.fnUntraced(function* (
  { name: file, isPipe, utf8 }: Pick<TextFile, "isPipe" | "name" | "utf8">,
  { columns, header: headerOf, isResults }: Reading
): Effect.fn.Return<Sheet, InputError> {
  const failed = ({ line }: CsvRow, problems: ReadonlyArray<string>, isUsage: boolean) =>
    Effect.fail(new InputError({ file, line, problems, isUsage }))
  const all = () =>
    isResults === true ? fromResults(csvRows(utf8, columns)) : csvRows(utf8, columns)
  const [first = nothing] = all()
  if (first.problem !== undefined) return yield* failed(first, [first.problem], true)
  const found = headerOf(first.cells)
  if ("problems" in found) return yield* failed(first, found.problems, true)
  const { header, isRow = false } = found
  const read = (each: Line) => {
    const { row } = each
    const problem = row.problem ?? (hasRow(row, header) ? swallowsRow : undefined)
    return problem === undefined
      ? Effect.succeed(rawRowOf(each, header, isPipe))
      : failed(row, [problem], false)
  }
  return {
    header: first.cells,
    delimiter: first.delimiter,
    names: new Set(header.flat()),
    rows: Stream.suspend(() => Stream.fromIterable(linesOf(all(), header), { chunkSize })).pipe(
      Stream.drop(isRow ? 0 : 1),
      // One by one, each row would be a step of the stream.
      Stream.mapArrayEffect((some) => Effect.forEach(some, read))
    )
  }
})
