/**
 * Recognises by the first line of CSV which character separates the columns.
 */
import { isColumn, nameOf, rowLimit } from "./Row.ts"

const candidates = [",", ";", "\t", "|"]

/** Spreadsheets write this line before the header. */
const separatorLine = /^"?sep=(.)"?$/i

export const isSeparatorLine = (cells: ReadonlyArray<string>): boolean =>
  /^sep=.?$/i.test(cells[0] ?? "") && cells.slice(1).every((cell) => cell === "")

const score = (line: string, delimiter: string): number => {
  const names = line.split(delimiter).map((cell) => nameOf(cell.replaceAll('"', "")))
  // A known name counts more than any number of cells.
  return names.filter(isColumn).length * rowLimit + names.length
}

/** Returns the delimiter, or undefined as long as the first line that is not empty goes on. */
export const delimiterOf = (text: string, isWhole: boolean): string | undefined => {
  const [line = "", ...rest] = text.replace(/^[\r\n]+/, "").split(/[\r\n]/, 2)
  if (rest.length === 0 && !isWhole && text.length <= rowLimit) return undefined
  const given = separatorLine.exec(line.trim())?.[1]
  if (given !== undefined) return given
  const scores = candidates.map((delimiter) => score(line, delimiter))
  return candidates[scores.indexOf(Math.max(...scores))] ?? ","
}
