/** What every transport does in one attempt: it names the client, limits the body, and makes the errors. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import {
  type Body,
  type Head,
  noBody,
  type Received,
  type ResponseHeaders,
  type AttemptFailure,
  type AttemptOptions
} from "../call/Transport.ts"
import {
  ConnectionFailed,
  ConnectionLost,
  InvalidInput,
  RequestTimedOut
} from "../errors/ClientFailures.ts"
import { version } from "../Version.ts"

/** The User-Agent header, which names this library in the logs of the service. */
export const userAgent = (suffix?: string): string =>
  `messaging-topup/${version}${suffix === undefined ? "" : ` ${suffix}`}`

/** A `cause` chain is short. The limit protects against one that points to itself. */
const maxDepth = 8

const codeShape = /^[A-Za-z][A-Za-z0-9_]{1,63}$/

/** Returns the code, such as `ECONNRESET`, and never the message: that can repeat the request. */
export const failureCode = (failure: unknown, depth = 0): string | undefined => {
  if (!Predicate.isObject(failure) || depth > maxDepth) return undefined
  const code: unknown = Reflect.get(failure, "code")
  return Predicate.isString(code) && codeShape.test(code)
    ? code
    : failureCode(Reflect.get(failure, "cause"), depth + 1)
}

/** Decompresses a body. Throws if it is longer than the maximum. */
export type Decompress = (
  bytes: Uint8Array,
  limit: { readonly maxOutputLength: number }
) => Uint8Array

/** The code of Node's error for a body that is longer than the maximum. */
const tooLarge = "ERR_BUFFER_TOO_LARGE"

/** The code of undici's error for a path or a header that it cannot write. */
const unwritable = "UND_ERR_INVALID_ARG"

/** One attempt of a request. It keeps the status and the headers if the body is lost. */
export class Attempt {
  readonly #options: AttemptOptions
  #head: Head | undefined
  #bytes = noBody.bytes
  #length = 0

  constructor(options: AttemptOptions) {
    this.#options = options
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#head = { status, headers }
    this.#options.onHead(this.#head)
  }

  /** Returns false if the body is longer than the maximum. */
  data(chunk: Uint8Array): boolean {
    const from = this.#length
    this.#length += chunk.length
    if (from === 0) {
      // Without a copy, because most bodies have only one chunk.
      this.#bytes = chunk
    } else {
      if (this.#length > this.#bytes.length) {
        const smaller = this.#bytes
        // Twice the length, so that a body of many small chunks is not copied for each of them.
        this.#bytes = new Uint8Array(2 * this.#length)
        this.#bytes.set(smaller)
      }
      this.#bytes.set(chunk, from)
    }
    return this.#length <= this.#options.maxBodyBytes
  }

  /** The body is complete, or longer than the maximum. */
  end(decompress?: Decompress): Effect.Effect<Received, AttemptFailure> {
    if (this.#head === undefined) return this.fail(undefined, true)
    const { maxBodyBytes } = this.#options
    const truncated = this.#length > maxBodyBytes
    const bytes = this.#bytes.subarray(0, Math.min(this.#length, maxBodyBytes))
    try {
      const body: Body =
        decompress === undefined || truncated || bytes.length === 0
          ? { bytes, truncated }
          : { bytes: decompress(bytes, { maxOutputLength: maxBodyBytes }), truncated: false }
      return Effect.succeed({ ...this.#head, body })
    } catch (error) {
      return failureCode(error) === tooLarge
        ? Effect.succeed({ ...this.#head, body: { ...noBody, truncated: true } })
        : this.fail(error, true)
    }
  }

  /** `started` says whether the request may have started. */
  fail(error: unknown, started: boolean): Effect.Effect<Received, AttemptFailure> {
    const { operation } = this.#options
    const code = failureCode(error)
    const reason = code === undefined ? {} : { code }
    // What has a response was started, whatever the platform calls the error of its body.
    if (started || this.#head !== undefined) {
      return this.#brokenOff(new ConnectionLost({ operation, ...reason, ...this.#status() }))
    }
    return Effect.fail(
      code === unwritable
        ? new InvalidInput({ operation, field: "request", problem: "the transport cannot send it" })
        : new ConnectionFailed({ operation, ...reason })
    )
  }

  timeOut(started: boolean): Effect.Effect<Received, AttemptFailure> {
    const { operation, timeoutMillis } = this.#options
    return this.#brokenOff(
      new RequestTimedOut({ operation, timeoutMillis, started, ...this.#status() })
    )
  }

  #status(): { readonly status?: number } {
    return this.#head === undefined ? {} : { status: this.#head.status }
  }

  #brokenOff(failure: AttemptFailure): Effect.Effect<Received, AttemptFailure> {
    const bytes = this.#bytes.subarray(0, this.#length)
    return this.#head === undefined || this.#options.needsRest(this.#head.status, bytes)
      ? Effect.fail(failure)
      : Effect.succeed({ ...this.#head, body: { bytes, truncated: false } })
  }
}
