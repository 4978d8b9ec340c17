/**
 * The header of a CSV file.
 */
import {
  type ColumnOptions,
  isUsed,
  meantBy,
  problemOfMissing,
  problemOfUnknown,
  required
} from "./Columns.ts"
import { nameOf } from "./Row.ts"

/** The column of each cell. Undefined if the cell is ignored. */
export type Header = ReadonlyArray<string | undefined>

export const missing =
  "there is no header: begin the file with a line of column names, such as recipient,message"

/** Removes empty cells at the end, as spreadsheets write them. */
const withoutEmptyEnd = (cells: ReadonlyArray<string>): ReadonlyArray<string> =>
  cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== "") + 1)

/** Returns the header, or its problem. */
export const read = (cells: ReadonlyArray<string>, options: ColumnOptions): Header | string => {
  const given = withoutEmptyEnd(cells)
  const names = given.map(nameOf)
  const used = names.filter((name) => isUsed(name, options))
  // Otherwise the error does not contain the names: the line may be a row.
  if (used.length === 0 && !names.some(meantBy)) return missing
  const seen = new Set<string>()
  for (const name of used) {
    if (seen.has(name)) return `the column ${name} occurs twice: remove one`
    seen.add(name)
  }
  const unknown = given.filter((name) => !isUsed(nameOf(name), options))
  if (unknown.length > 0 && !options.ignoreColumns) return problemOfUnknown(unknown, "column")
  const lacking = required(options).filter((name) => !seen.has(name))
  if (lacking.length > 0) return problemOfMissing(lacking, given, options)
  return names.map((name) => (seen.has(name) ? name : undefined))
}
