/** The bodies of requests and responses, independent of the transport. */
import * as Data from "effect/Data"
import * as Stream from "effect/Stream"

/** The longest SMS takes less: 255 segments, in any characters. */
export const limit = 128 * 1024

/** The body of a request. Bytes beyond the limit are counted and dropped, so that the client can finish sending. */
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

/** The connection is reset, before the response or within it. */
export class ConnectionReset extends Data.TaggedError("ConnectionReset") {}

/** The body of a response. */
export const bodyOf = ({ body }: Response): Stream.Stream<Uint8Array, ConnectionReset> =>
  body === null
    ? Stream.empty
    : Stream.fromReadableStream({ evaluate: () => body, onError: () => new ConnectionReset() })
