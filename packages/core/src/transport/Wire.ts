/** A wire makes one HTTP request. `TimedRequest.ts` adds what is the same on each wire. */
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { ResponseHeaders, WireRequest } from "../call/Transport.ts"
import { version } from "../Version.ts"

/**
 * The callbacks of a wire, in this order. After `end`, `fail` or an abort, none has an effect. An abort itself calls none.
 */
export interface WireHandlers {
  /**
   * The request is about to start. Returns whether it may. If `false`, it never starts, and the wire
   * calls `fail`.
   */
  readonly start: () => boolean
  /**
   * Status and headers of the response. Not called for an interim response (1xx). The headers are read once the status
   * is noted, because reading those of a response that is made by hand can throw.
   */
  readonly head: (status: number, readHeaders: () => ResponseHeaders) => void
  readonly data: (chunk: Uint8Array) => void
  readonly end: () => void
  /** `started` says whether the request may have started. */
  readonly fail: (error: unknown, started: boolean) => void
}

export interface WireControl {
  /** Aborts the request. If it did not start yet, it never starts. */
  readonly abort: () => void
  /** Whether the request may have started. */
  readonly hasStarted: () => boolean
  /** What the interruption of a call waits for after the abort. A time-out does not. */
  readonly ended?: Effect.Effect<void>
}

/** Decompresses a body. Throws if it is longer than the maximum. */
export type Decompress = (
  bytes: Uint8Array,
  limit: { readonly maxOutputLength: number }
) => Uint8Array

export interface Wire {
  /** The headers of every request. The caller adds them, once for many requests. */
  readonly headers: Readonly<Record<string, string>>
  /** Returns how to decompress a body, if the wire itself does not. */
  readonly decompressOf?: (headers: ResponseHeaders) => Decompress | undefined
  /** Starts the request, in the context of its call. It does not throw. */
  readonly start: (
    request: WireRequest,
    handlers: WireHandlers,
    context: Context.Context<never>
  ) => WireControl
}

/** The User-Agent header, which names this library in the logs of the service. */
export const userAgent = (suffix?: string): string =>
  `messaging-topup/${version}${suffix === undefined ? "" : ` ${suffix}`}`

/** A `cause` chain is short. The limit protects against one that points to itself. */
const maxDepth = 8

const codeShape = /^[A-Za-z][A-Za-z0-9_]{1,63}$/

const codeIn = (failure: unknown, depth: number): string | undefined => {
  if (!Predicate.isObject(failure) || depth > maxDepth) return undefined
  const { cause, code } = failure
  return Predicate.isString(code) && codeShape.test(code) ? code : codeIn(cause, depth + 1)
}

/**
 * Returns the code, such as `ECONNRESET`, and never the message: that can repeat the request. Reading an error of a
 * program can throw.
 */
export const failureCode = (failure: unknown): string | undefined =>
  Result.getOrUndefined(Result.try(() => codeIn(failure, 0)))

/**
 * The bytes of any view or buffer, also of another realm. They are a copy, because a program's own stream may use its
 * buffer again. Throws for what is neither.
 */
export const bytesOf = (given: ArrayBufferView | ArrayBuffer): Uint8Array => {
  const { buffer, byteLength, byteOffset } = ArrayBuffer.isView(given) ? given : new DataView(given)
  return new Uint8Array(buffer, byteOffset, byteLength).slice()
}

/** Headers as texts: a response that is made by hand can have others, or none. */
export const textsOf = (
  given: ReadonlyArray<readonly [name: string, value: unknown]>
): ResponseHeaders =>
  new Map(
    given
      .filter(([, value]) => !Predicate.isNullish(value))
      .map(([name, value]) => [name.toLowerCase(), String(value)])
  )
