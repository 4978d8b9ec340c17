/**
 * One attempt of a request: what goes in, what comes out, whichever way it takes.
 */
import type * as Effect from "effect/Effect"
import type { ConnectionFailed } from "../errors/ConnectionFailed.ts"
import type { ConnectionLost } from "../errors/ConnectionLost.ts"
import type { InvalidInput } from "../errors/InvalidInput.ts"
import type { RequestTimedOut } from "../errors/RequestTimedOut.ts"
import type { WireRequest } from "./Wire.ts"

export interface Body {
  readonly bytes: Uint8Array
  /** Whether the body went on after the bound. */
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
  /** Called when bytes of the request may leave from now on. */
  readonly onStart: () => void
  /** Called when the head of the response came, whatever becomes of its body. */
  readonly onStatus: (status: number) => void
}

/**
 * An undocumented status says what it says without its body: losing that body changes nothing.
 */
export type Send = (
  request: WireRequest,
  options: SendOptions
) => Effect.Effect<Received, SendFailure>

export interface Transport {
  readonly send: Send
  /** How often a send is retried whose request did not start. */
  readonly sendRetries: number
}
