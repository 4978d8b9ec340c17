/** A request, independent of the transport, and its body, kept up to a limit. */

/** The longest SMS takes less: 255 segments, in any characters. */
const limit = 128 * 1024

/** Bytes beyond the limit are counted and dropped, so that the client can finish sending. */
export class Body {
  readonly #chunks: Array<Uint8Array> = []
  #size = 0

  static of(text: string): Body {
    const body = new Body()
    body.add(new TextEncoder().encode(text))
    return body
  }

  add(chunk: Uint8Array): void {
    if (this.#size < limit) this.#chunks.push(chunk.subarray(0, limit - this.#size))
    this.#size += chunk.length
  }

  get isEmpty(): boolean {
    return this.#size === 0
  }

  get isTooLarge(): boolean {
    return this.#size > limit
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(Math.min(this.#size, limit))
    let offset = 0
    for (const chunk of this.#chunks) {
      bytes.set(chunk, offset)
      offset += chunk.length
    }
    return bytes
  }

  text(): string {
    return new TextDecoder().decode(this.bytes())
  }
}

export interface Incoming {
  readonly method: string
  /** Path and query, as they were on the wire. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}
