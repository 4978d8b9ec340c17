/**
 * The header of a CSV file.
 */
import { type Column, type ColumnOptions, columns, isColumn, quoted } from "./Row.ts"

/** The column of each cell. Undefined if the cell is ignored. */
export type Header = ReadonlyArray<Column | undefined>

export const missing =
  "there is no header: begin the file with a line of column names, such as recipient,message"

const required: ReadonlyArray<Column> = ["recipient", "message"]

const otherDelimiters: ReadonlyArray<readonly [character: string, option: string]> = [
  [";", "';'"],
  ["\t", "tab"],
  ["|", "'|'"]
]

/** Returns the header, or its problem. */
export const read = (
  cells: ReadonlyArray<string>,
  { ignoreColumns }: ColumnOptions
): Header | string => {
  const names = cells.map((cell) => cell.trim())
  const known = names.filter(isColumn)
  const [first = ""] = names
  const delimiter = otherDelimiters.find(([character]) =>
    first.split(character).some((name) => isColumn(name.trim()))
  )
  if (known.length === 0) {
    // The error does not contain the names: the line may be a row.
    return delimiter === undefined
      ? missing
      : `the columns are not separated by commas: give --delimiter ${delimiter[1]}`
  }
  const twice = known.find((name, index) => known.indexOf(name) !== index)
  if (twice !== undefined) return `the column ${twice} occurs twice: remove one`
  const unknown = names.filter((name) => !isColumn(name))
  if (unknown.length > 0 && !ignoreColumns) {
    return `unknown columns ${unknown.map(quoted).join(", ")}: give --ignore-columns, or rename them; the known columns are ${columns.join(", ")}`
  }
  const lacking = required.filter((name) => !known.includes(name))
  if (lacking.length > 0) return `the column ${lacking.join(" and the column ")} is missing`
  return names.map((name) => (isColumn(name) ? name : undefined))
}
