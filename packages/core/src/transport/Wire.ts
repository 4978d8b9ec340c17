/**
 * A minimal HTTP transport: it makes one request.
 */

import type { ResponseHeaders, WireRequest } from "../call/WireRequest.ts"

export interface WireHeaders extends ResponseHeaders {
  readonly all: () => Headers
}

/** The callbacks of a wire, in this order. After `end`, `fail` or an abort, none is called. */
export interface WireHandlers {
  /**
   * The request is about to start. Returns whether it may. If `false`, it never starts, and the wire
   * calls `fail`.
   */
  readonly start: () => boolean
  /** Status and headers of the response. Not called for an interim response (1xx). */
  readonly head: (status: number, headers: WireHeaders) => void
  /** A chunk of the body, decompressed. */
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
  /** Pauses `data`, for a reader that is slower than the network. */
  readonly pause: () => void
  readonly resume: () => void
}

export interface Wire {
  /** The headers of every request. The caller adds them, once for many requests. */
  readonly headers: Readonly<Record<string, string>>
  /** Starts the request. It does not throw. */
  readonly start: (request: WireRequest, handlers: WireHandlers) => WireControl
}
