/**
 * Lines on a stream that perhaps nobody reads.
 */

/** What may wait. Beyond it, lines are dropped: a log must not take the memory of what it tells about. */
const maxWaitingBytes = 1024 * 1024

/** Writes lines; `note` makes the line that says how many are missing before it. */
export const lineWriter = (
  stream: NodeJS.WritableStream & { readonly writableLength: number },
  note: (dropped: number) => string
): ((line: string) => void) => {
  let dropped = 0
  // A reader that goes away is no reason to stop.
  stream.on("error", () => {})
  return (line) => {
    if (stream.writableLength > maxWaitingBytes) {
      dropped++
      return
    }
    if (dropped > 0) stream.write(`${note(dropped)}\n`)
    dropped = 0
    stream.write(`${line}\n`)
  }
}
