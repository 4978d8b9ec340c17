/** A stop list: rows to its numbers are excluded. */
import { Phone, unmeant } from "@messaging-topup/core/internal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Csv from "./Csv.ts"
import * as Digests from "./Digests.ts"
import { InputError } from "../CommandError.ts"
import { type Reading, withoutEmptyEnd } from "./Header.ts"
import * as Recipient from "./Recipient.ts"
import * as Sheet from "./Sheet.ts"
import { type InvalidRow, nameOf, type RawRow } from "./Row.ts"
import type { ReadFile, Source } from "./Source.ts"
import { textOf } from "./Encoding.ts"
import { outcomeColumn } from "../words/ResultWords.ts"

/** A stop list that was read. */
export interface StopList extends ReadFile {
  /** Whether one of the numbers that a recipient may be is on it. */
  readonly has: (...numbers: ReadonlyArray<string>) => boolean
  readonly count: number
  /** The name of the column that has them, or else its place, from 1. */
  readonly column: string | number
  /** Whether `results` wrote it. */
  readonly isResults: boolean
  /** The others that have numbers: these exclude nobody. */
  readonly otherColumns: ReadonlyArray<string | number>
  /**
   * Its numbers that exclude no other spelling of them: without a country, those that may have no country code, and
   * with one, those that it cannot read.
   */
  readonly unclear: { readonly count: number; readonly firstLine: number }
}

/** Whether a cell can be the name of a column. What may be somebody's number is none. */
const isName = (cell: string): boolean =>
  /^\p{L}(?:\P{Nd}*\p{Nd}){0,4}\P{Nd}*$/u.test(cell) && unmeant(cell) === undefined

/** The column that has the numbers, whatever others have. */
const ownName = "recipient"

const severalColumns =
  "several of its columns may have the numbers: give one number per line, or name one column recipient in the first line"

/** A day, also with a time: since when somebody is on the list. */
const day =
  /^(?:(?:19|20)\d\d-\d\d-\d\d|\d{1,2}([./])\d{1,2}\1(?:19|20)\d\d)(?:[T ,]+\d{1,2}:\d\d.*)?$/

const isDay = (cell: string): boolean => day.test(cell.trim())

/**
 * Whether a cell may be meant as a number or a part of one, also if it cannot be read: otherwise another column with
 * digits would seem to be the only one.
 */
const isMeantAsNumber = (cell: string): boolean => {
  if (isDay(cell)) return false
  const { number, problem } = Phone.read(cell)
  return (
    problem === "spreadsheet-number" ||
    unmeant(number) === "spreadsheet-error" ||
    /^[+0]\p{Nd}/u.test(Phone.sentForm(number)) ||
    (number.match(/\p{Nd}/gu)?.length ?? 0) >= Phone.minDigits
  )
}

/** Columns by their places. */
interface Candidates {
  readonly withNumbers: ReadonlySet<number>
  /** Also one without words and days: an area code has few digits, and the column of the numbers may be empty beside that of others. */
  readonly all: ReadonlySet<number>
}

/** Returns which columns may have the numbers. */
const candidatesOf = (rows: Iterable<{ readonly cells: ReadonlyArray<string> }>): Candidates => {
  const withNumbers = new Set<number>()
  const withWords = new Set<number>()
  const filled = new Set<number>()
  let isHeader: boolean | undefined
  for (const { cells } of rows) {
    isHeader = isHeader === undefined && !cells.some(isMeantAsNumber)
    for (const [index, cell] of cells.entries()) {
      if (cell.trim() === "") continue
      filled.add(index)
      if (isMeantAsNumber(cell)) withNumbers.add(index)
      else if (!isHeader && (isDay(cell) || /\p{L}/u.test(cell))) withWords.add(index)
    }
  }
  const withoutWords = [...filled].filter((index) => !withWords.has(index))
  const all = withNumbers.size === 0 ? withNumbers : new Set([...withNumbers, ...withoutWords])
  return { withNumbers, all }
}

/** The line of a name that stands in a column above its first number, but not in the first row: that may be a title. */
const lateName = (rows: Iterable<Csv.CsvRow>, column: number): number | undefined => {
  let isFirst = true
  for (const { cells, line } of rows) {
    const cell = cells[column] ?? ""
    if (isMeantAsNumber(cell)) return undefined
    if (!isFirst && isName(cell)) return line
    isFirst = false
  }
  return undefined
}

const mayBeHeader =
  "it has no number: correct it, or if it is the line of column names, begin the file with it"

/**
 * Returns which columns may have the numbers, by the first row, and whether this is no header. The name of the list's own
 * column is that of a header, too; it does not say what the numbers of other columns are.
 */
const foundIn = (
  first: ReadonlyArray<string>,
  columns: ReadonlySet<string>,
  { all, withNumbers }: Candidates
) => {
  const names = first.map(nameOf)
  const named = [...names.keys()].filter((index) => columns.has(names[index] ?? ""))
  const isAlone = named.length > 0 && named.every((index) => names[index] === ownName)
  const [column = 0, ...others] = isAlone || all.size === 0 ? named : all
  return {
    column,
    others,
    isRow: named.length === 0 && !isName(first[column] ?? ""),
    ignored: [...withNumbers].filter((index) => index !== column)
  }
}

/** A list without a header has numbers in its first row. */
const readingOf = (columns: ReadonlySet<string>, candidates: Candidates): Reading => ({
  columns,
  header: (cells) => {
    const { column, isRow, others } = foundIn(cells, columns, candidates)
    if (others.length > 0) return { problems: [severalColumns] }
    const length = Math.max(column + 1, withoutEmptyEnd(cells).length)
    return {
      header: Array.from({ length }, (_, index) => (index === column ? ["recipient"] : [])),
      isRow
    }
  }
})

/**
 * Reads a list: one number per line, or CSV. Its column is named `recipient`, or else is the only one that may be meant,
 * whatever its name. Fails at the first cell that is no number, because it may be somebody who is to be
 * excluded, and if there is no number: it may be about to be saved.
 */
export const read = Effect.fnUntraced(function* (
  given: Source,
  normalize: Recipient.Normalize | undefined,
  recipientColumn: string | undefined
): Effect.fn.Return<StopList, InputError> {
  const { encoding: _, needsMark: __, utf8, ...file } = yield* textOf(given)
  const digests = Digests.make()
  let count = 0
  const unclear = { count: 0, firstLine: 0 }
  const failed = (problem: string, where: { readonly line?: number } = {}) =>
    Effect.fail(new InputError({ file: file.name, ...where, problems: [problem], isUsage: true }))

  /** Adds a row of the list, or returns its problem. */
  const problemOf = (row: InvalidRow | RawRow): string | undefined => {
    if (row._tag === "InvalidRow") return row.problem
    const { number: recipient, problem } = Recipient.read(row.cells.get("recipient") ?? "")
    if (recipient === "") return undefined
    // The number as it is written may have lost its plus.
    const found = normalize?.(recipient)
    const { number = recipient, other = recipient } = found ?? {}
    const isClear =
      found === undefined
        ? Phone.isInternational(recipient)
        : (found.number ?? found.other) !== undefined
    count++
    if (!isClear && unclear.count++ === 0) unclear.firstLine = row.line
    for (const each of [recipient, number, other]) digests.count(Phone.wideForm(each))
    return problem ?? Recipient.problemAsItIs(number)
  }

  const columns = new Set([ownName, nameOf(recipientColumn ?? ownName)])
  const candidates = candidatesOf(Csv.rows(utf8, columns))
  const { header, rows } = yield* Sheet.open({ ...file, utf8 }, readingOf(columns, candidates))
  const { column, ignored, isRow } = foundIn(header, columns, candidates)
  const late = lateName(Csv.rows(utf8, columns), column)
  if (late !== undefined) return yield* failed(mayBeHeader, { line: late })
  yield* Stream.runForEach(rows, (row) => {
    const problem = problemOf(row)
    return problem === undefined ? Effect.void : failed(problem, { line: row.line })
  })
  if (count === 0)
    return yield* failed("it has no number: if nobody is excluded, leave out --exclude")
  const has: StopList["has"] = (...numbers) =>
    numbers.some((number) => digests.has(Phone.wideForm(number)))
  const shownOf = (index: number) => (isRow ? index + 1 : header[index]?.trim() || index + 1)
  return {
    ...file,
    has,
    count,
    column: shownOf(column),
    isResults: !isRow && header.map(nameOf).includes(outcomeColumn),
    otherColumns: ignored.map(shownOf),
    unclear
  }
})
