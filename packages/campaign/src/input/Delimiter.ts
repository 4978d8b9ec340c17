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

const delimiterOf = (line: string): string => {
  const given = separatorLine.exec(line.trim())?.[1]
  if (given !== undefined) return given
  const scores = candidates.map((delimiter) => score(line, delimiter))
  return candidates[scores.indexOf(Math.max(...scores))] ?? ","
}

const isLineEnd = (byte: number): boolean => byte === 10 || byte === 13

export interface Recogniser {
  /** Adds a chunk; without one, the file ends. Returns the delimiter as soon as it is known. */
  readonly add: (bytes?: Uint8Array) => string | undefined
  /** The bytes that were added. */
  readonly bytes: () => Uint8Array
}

/** Collects bytes up to the end of the first line that is not empty. */
export const make = (): Recogniser => {
  const pieces = new Array<Uint8Array>()
  let size = 0
  let hasText = false

  const isComplete = (bytes: Uint8Array): boolean => {
    for (const byte of bytes) {
      if (!isLineEnd(byte)) hasText = true
      else if (hasText) return true
    }
    return size > rowLimit
  }

  const bytes = () => Buffer.concat(pieces)

  return {
    add: (piece) => {
      if (piece !== undefined) {
        pieces.push(piece)
        size += piece.length
        if (!isComplete(piece)) return undefined
      }
      const [line = ""] = bytes()
        .toString("latin1")
        .replace(/^[\r\n]+/, "")
        .split(/[\r\n]/, 1)
      return delimiterOf(line)
    },
    bytes
  }
}
