/**
 * The body of a response, as it comes.
 */

/** The first `length` bytes of the chunks, which have that many or more. */
const concat = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
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

/** A chunk of less is copied: it takes a hundred bytes itself, and can hold on to a buffer of 64 KiB. */
const smallBytes = 8 * 1024
const blockBytes = 64 * 1024

/** Most bodies are one chunk, which is kept as it is. */
export class CollectedBytes {
  /** In all, copied or not. */
  length = 0
  readonly #chunks: Array<Uint8Array> = []
  #block: Uint8Array | undefined
  /** What of the block is not in the chunks yet. */
  #from = 0
  #to = 0

  add(chunk: Uint8Array): void {
    const isFirst = this.length === 0
    this.length += chunk.length
    if (isFirst || chunk.length >= smallBytes) {
      this.#flush()
      this.#chunks.push(chunk)
      return
    }
    if (this.#block === undefined || this.#to + chunk.length > blockBytes) {
      this.#flush()
      this.#block = new Uint8Array(blockBytes)
      this.#from = 0
      this.#to = 0
    }
    this.#block.set(chunk, this.#to)
    this.#to += chunk.length
  }

  #flush(): void {
    if (this.#block === undefined || this.#from === this.#to) return
    this.#chunks.push(this.#block.subarray(this.#from, this.#to))
    this.#from = this.#to
  }

  /** The first bytes, as many as there are and no more than that. */
  first(maxBytes: number): Uint8Array {
    this.#flush()
    return concat(this.#chunks, Math.min(this.length, maxBytes))
  }
}
