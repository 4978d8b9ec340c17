/**
 * The request that a transport gets, and the headers that it returns.
 *
 * They have their own file because the declarations of the promise client name them, and those must
 * not import Effect.
 */

/** An encoded request. */
export interface WireRequest {
  readonly method: "GET" | "POST"
  /** Scheme, host and port. */
  readonly origin: string
  /** Path and query, percent-encoded. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface ResponseHeaders {
  readonly get: (name: string) => string | undefined
}
