/**
 * Finds the line of a byte.
 *
 * The parser's own count of lines is wrong: it counts CRLF inside quotes as two lines.
 */
const [cr, lf] = [13, 10]

export interface Lines {
  readonly add: (bytes: Uint8Array) => void
  /** Returns the line of the byte at this offset. Offsets must not decrease from call to call. */
  readonly lineOf: (offset: number) => number
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
        // CRLF is one line end, at its LF.
        if (isAfterCr && byte !== lf) ends.push(total + index - 1)
        if (byte === lf) ends.push(total + index)
        isAfterCr = byte === cr
      }
      total += bytes.length
    },
    lineOf: (offset) => {
      while ((ends[passed] ?? Infinity) < offset) {
        passed++
        line++
      }
      return line
    }
  }
}

const end = /\r\n|\r|\n/g

/** Returns how many lines end inside a text. */
export const within = (text: string): number => text.match(end)?.length ?? 0
