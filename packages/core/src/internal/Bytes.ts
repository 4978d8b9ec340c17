/** The first `length` bytes of the chunks, which have that many or more. */
export const concat = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const [first] = chunks
  if (chunks.length === 1 && first?.length === length) return first
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    const part = chunk.subarray(0, length - offset)
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}
