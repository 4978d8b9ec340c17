/**
 * One attempt of a request. It limits the body, decompresses it, and keeps the status and the headers if
 * the body is lost.
 */
import * as Effect from "effect/Effect"
import {
  type Body,
  type Head,
  noBody,
  type Received,
  type ResponseHeaders,
  type SendFailure,
  type SendOptions
} from "../call/Transport.ts"
import {
  ConnectionFailed,
  ConnectionLost,
  InvalidInput,
  RequestTimedOut
} from "../errors/ClientFailures.ts"
import { failureCode } from "./FailureCode.ts"

/** Decompresses a body. Throws if it is longer than the maximum. */
export type Decompress = (
  bytes: Uint8Array,
  limit: { readonly maxOutputLength: number }
) => Uint8Array

/** The code of Node's error for a body that is longer than the maximum. */
const tooLarge = "ERR_BUFFER_TOO_LARGE"

/** The code of undici's error for a path or a header that it cannot write. */
const unwritable = "UND_ERR_INVALID_ARG"

export class Attempt {
  readonly #options: SendOptions
  #head: Head | undefined
  #chunks: Array<Uint8Array> = []
  #length = 0

  constructor(options: SendOptions) {
    this.#options = options
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#head = { status, headers }
    this.#options.onStatus(status)
  }

  /** Returns false if the body is longer than the maximum. */
  data(chunk: Uint8Array): boolean {
    this.#length += chunk.length
    this.#chunks.push(chunk)
    return this.#length <= this.#options.maxBodyBytes
  }

  /** The body is complete, or longer than the maximum. */
  end(decompress?: Decompress): Effect.Effect<Received, SendFailure> {
    if (this.#head === undefined) return this.fail(undefined, true)
    const { maxBodyBytes } = this.#options
    const bytes = this.#bytes()
    const truncated = bytes.length > maxBodyBytes
    const whole = { bytes: truncated ? bytes.subarray(0, maxBodyBytes) : bytes, truncated }
    try {
      const body: Body =
        decompress === undefined || truncated || bytes.length === 0
          ? whole
          : { bytes: decompress(bytes, { maxOutputLength: maxBodyBytes }), truncated: false }
      return Effect.succeed({ ...this.#head, body })
    } catch (error) {
      return failureCode(error) === tooLarge
        ? Effect.succeed({ ...this.#head, body: { ...noBody, truncated: true } })
        : this.fail(error, true)
    }
  }

  /** Most bodies have one chunk. */
  #bytes(): Uint8Array {
    const [first = noBody.bytes] = this.#chunks
    if (this.#chunks.length <= 1) return first
    const bytes = new Uint8Array(this.#length)
    let at = 0
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at)
      at += chunk.length
    }
    this.#chunks = []
    return bytes
  }

  /** `started` says whether the request may have started. */
  fail(error: unknown, started: boolean): Effect.Effect<Received, SendFailure> {
    const { operation } = this.#options
    const code = failureCode(error)
    const reason = code === undefined ? {} : { code }
    // What has a response was started, whatever the platform calls the error of its body.
    if (started || this.#head !== undefined) {
      return this.#withoutBody(new ConnectionLost({ operation, ...reason, ...this.#status() }))
    }
    return Effect.fail(
      code === unwritable
        ? new InvalidInput({ operation, field: "request", problem: "the transport cannot send it" })
        : new ConnectionFailed({ operation, ...reason })
    )
  }

  timeOut(started: boolean): Effect.Effect<Received, SendFailure> {
    const { operation, timeoutMillis } = this.#options
    return this.#withoutBody(
      new RequestTimedOut({ operation, timeoutMillis, started, ...this.#status() })
    )
  }

  #status(): { readonly status?: number } {
    return this.#head === undefined ? {} : { status: this.#head.status }
  }

  /** An undocumented status needs no body. */
  #withoutBody(failure: SendFailure): Effect.Effect<Received, SendFailure> {
    return this.#head === undefined || this.#options.isDocumented(this.#head.status)
      ? Effect.fail(failure)
      : Effect.succeed({ ...this.#head, body: noBody })
  }
}
