/**
 * Writes lines to a stream that may have no reader.
 */

/**
 * The maximum that waits in memory. Further lines are dropped, so that an unread log cannot fill
 * the memory.
 */
const maxWaitingBytes = 1024 * 1024

/**
 * Returns a function that writes lines. `note` makes the line that says how many lines were
 * dropped.
 */
export const lineWriter = (
  stream: NodeJS.WritableStream & { readonly writableLength: number },
  note: (dropped: number) => string
): ((line: string) => void) => {
  let dropped = 0
  // The sandbox keeps running if the reader closes the stream.
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
