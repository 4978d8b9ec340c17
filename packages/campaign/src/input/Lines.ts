/**
 * On which line a byte is.
 *
 * The parser's own count takes CRLF inside quotes for two lines.
 */
const [cr, lf] = [13, 10]

export interface Lines {
  readonly add: (bytes: Uint8Array) => void
  /** The line of the byte at this place. Places must not go back. */
  readonly lineOf: (place: number) => number
}

export const make = (): Lines => {
  let ends = new Array<number>()
  let passed = 0
  let total = 0
  let isAfterCr = false
  let line = 1
  return {
    add: (bytes) => {
      ends = ends.slice(passed)
      passed = 0
      for (const [index, byte] of bytes.entries()) {
        // CRLF is one end, at its LF.
        if (isAfterCr && byte !== lf) ends.push(total + index - 1)
        if (byte === lf) ends.push(total + index)
        isAfterCr = byte === cr
      }
      total += bytes.length
    },
    lineOf: (place) => {
      while ((ends[passed] ?? Infinity) < place) {
        passed++
        line++
      }
      return line
    }
  }
}

const end = /\r\n|\r|\n/g

/** How many lines end inside a text. */
export const within = (text: string): number => text.match(end)?.length ?? 0
