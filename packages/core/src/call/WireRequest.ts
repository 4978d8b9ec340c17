/**
 * The request that a transport gets.
 *
 * It has its own file because the declarations of the promise client name it, and those must not
 * import Effect.
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
