/**
 * Collects the body of a response while it arrives.
 */

/** Returns the first `length` bytes of the chunks, which must have at least that many. */
const concat = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const [first] = chunks
  if (chunks.length === 1 && first?.length === length) return first
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    const bytesToCopy = chunk.subarray(0, length - offset)
    bytes.set(bytesToCopy, offset)
    offset += bytesToCopy.length
  }
  return bytes
}

/**
 * Smaller chunks are copied: each has an overhead of about 100 bytes and can keep a 64 KiB buffer
 * alive.
 */
const smallBytes = 8 * 1024
const blockBytes = 64 * 1024

/** Keeps the first chunk without a copy, because most bodies have only one. */
export class CollectedBytes {
  /** Total bytes, copied or not. */
  length = 0
  readonly #chunks: Array<Uint8Array> = []
  #block: Uint8Array | undefined
  /** The range of the block that is not in `#chunks` yet. */
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

  /** Returns the collected bytes, at most `maxBytes`. */
  first(maxBytes: number): Uint8Array {
    this.#flush()
    return concat(this.#chunks, Math.min(this.length, maxBytes))
  }
}
