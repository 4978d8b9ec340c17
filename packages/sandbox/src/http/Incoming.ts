/**
 * A request, independent of the transport.
 */
import type { Body } from "./Body.ts"

export interface Incoming {
  readonly method: string
  /** Path and query, as they were on the wire. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}
