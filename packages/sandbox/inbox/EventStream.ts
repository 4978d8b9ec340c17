/**
 * Server-sent events over `fetch`, because `EventSource` cannot send headers.
 */
export interface ServerEvent {
  readonly name: string
  readonly data: string
}

/**
 * Parses one block of lines. Returns `undefined` for a comment, which only keeps the connection
 * open.
 */
const parse = (block: string): ServerEvent | undefined => {
  let name = "message"
  const data: Array<string> = []
  for (const line of block.split("\n")) {
    const [, field, value = ""] = /^(\w+): ?(.*)$/s.exec(line) ?? []
    if (field === "event") name = value
    if (field === "data") data.push(value)
  }
  return data.length === 0 ? undefined : { name, data: data.join("\n") }
}

/**
 * Resolves when the server ends the stream, and rejects when the connection breaks. `onChunk` is
 * called for all data, also for comments that only show that the server runs.
 */
export const readEvents = async (
  body: ReadableStream<Uint8Array>,
  handle: (event: ServerEvent) => void,
  onChunk: () => void
): Promise<void> => {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one chunk after the other
    const { done, value } = await reader.read()
    if (done) return
    onChunk()
    const blocks = (text + decoder.decode(value, { stream: true }))
      .replaceAll("\r\n", "\n")
      .split("\n\n")
    text = blocks.pop() ?? ""
    for (const block of blocks) {
      const event = parse(block)
      if (event !== undefined) handle(event)
    }
  }
}
