/**
 * The narrowest form of an HTTP transport: one function, one request.
 */

/** A request that is ready to be written. */
export interface WireRequest {
  readonly method: "GET" | "POST"
  /** Scheme, host and port. */
  readonly origin: string
  /** Path and query, percent-encoded. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** The headers of a response. */
export interface WireHeaders {
  readonly get: (name: string) => string | undefined
  readonly all: () => Headers
}

/** What a wire reports, in this order; after `end`, `fail` or giving up, nothing more. */
export interface WireHandlers {
  /** Bytes of the request may leave from now on. */
  readonly start: () => void
  /** Never with an interim response (1xx). */
  readonly head: (status: number, headers: WireHeaders) => void
  /** Decoded, if the response was compressed. */
  readonly data: (chunk: Uint8Array) => void
  readonly end: () => void
  /** `started`: whether bytes of the request may have left. */
  readonly fail: (error: unknown, started: boolean) => void
}

export interface WireControl {
  /** Ends the request. A request that did not start never starts. */
  readonly giveUp: () => void
  /** Whether bytes of the request may have left. */
  readonly hasStarted: () => boolean
  /** Stops and continues `data`, for a reader that is slower than the network. */
  readonly pause: () => void
  readonly resume: () => void
}

/** Starts the request. It does not throw. */
export type Wire = (request: WireRequest, handlers: WireHandlers) => WireControl
