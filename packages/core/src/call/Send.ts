/**
 * The types of one attempt of a request, the same for every transport.
 */
import type * as Effect from "effect/Effect"
import type { ConnectionFailed } from "../errors/ConnectionFailed.ts"
import type { ConnectionLost } from "../errors/ConnectionLost.ts"
import type { InvalidInput } from "../errors/InvalidInput.ts"
import type { RequestTimedOut } from "../errors/RequestTimedOut.ts"
import type { WireRequest } from "../transport/Wire.ts"

export interface Body {
  readonly bytes: Uint8Array
  /** Whether the body was longer than the maximum. */
  readonly truncated: boolean
}

export interface Received {
  readonly status: number
  /** The `Retry-After` header. */
  readonly retryAfter: string | undefined
  readonly body: Body
}

export const noBody: Body = { bytes: new Uint8Array(0), truncated: false }

export type SendFailure = InvalidInput | ConnectionFailed | ConnectionLost | RequestTimedOut

export interface SendOptions {
  readonly operation: string
  readonly timeoutMillis: number
  readonly maxBodyBytes: number
  readonly isDocumented: (status: number) => boolean
  /** Called when the request may start from now on. */
  readonly onStart: () => void
  /** Called when the status and the headers of the response arrived, even if its body is lost. */
  readonly onStatus: (status: number) => void
}

/** For an undocumented status, a lost body is not a failure: the status alone decides the error. */
export type Send = (
  request: WireRequest,
  options: SendOptions
) => Effect.Effect<Received, SendFailure>

export interface Transport {
  readonly send: Send
  /** How often a send is retried if its request did not start. */
  readonly sendRetries: number
}
