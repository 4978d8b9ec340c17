/**
 * Collects the body of a response while it arrives.
 */

const none = new Uint8Array(0)

/** Keeps the first chunk without a copy, because most bodies have only one. */
export class CollectedBytes {
  length = 0
  #bytes: Uint8Array = none

  add(chunk: Uint8Array): void {
    const from = this.length
    this.length += chunk.length
    if (from === 0) {
      this.#bytes = chunk
      return
    }
    if (this.length > this.#bytes.length) {
      const smaller = this.#bytes
      // Twice the length, so that a body of many small chunks is not copied for each of them.
      this.#bytes = new Uint8Array(2 * this.length)
      this.#bytes.set(smaller)
    }
    this.#bytes.set(chunk, from)
  }

  /** Returns the collected bytes, at most `maxBytes`. */
  first(maxBytes: number): Uint8Array {
    const length = Math.min(this.length, maxBytes)
    return length === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, length)
  }
}
