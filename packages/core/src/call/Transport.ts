/** How requests reach the service: one attempt of a request, as every transport makes it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type {
  ConnectionFailed,
  ConnectionLost,
  InvalidInput,
  RequestTimedOut
} from "../errors/ClientFailures.ts"

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

/** What a response begins with. */
export interface Head {
  readonly status: number
  readonly headers: ResponseHeaders
}

export interface Body {
  readonly bytes: Uint8Array
  /** Whether the body was longer than the maximum. */
  readonly truncated: boolean
}

export interface Received extends Head {
  readonly body: Body
}

export const noBody: Body = { bytes: new Uint8Array(0), truncated: false }

export type SendFailure = InvalidInput | ConnectionFailed | ConnectionLost | RequestTimedOut

export interface SendOptions {
  readonly operation: string
  readonly timeoutMillis: number
  readonly maxBodyBytes: number
  /** Whether a body that broke off is a failure, after what arrived of it. */
  readonly needsRest: (status: number, arrived: Uint8Array) => boolean
  /** Called when the request is about to start. Returns whether it may. */
  readonly onStart: () => boolean
  /** Called when the status and the headers of the response arrived, even if its body is lost. */
  readonly onStatus: (status: number) => void
}

/** If a response needs no more of its body, a body that broke off ends where it does. */
export type Send = (
  request: WireRequest,
  options: SendOptions
) => Effect.Effect<Received, SendFailure>

/**
 * The HTTP transport of a client: a layer of `@messaging-topup/core/node`, of
 * `@messaging-topup/core/fetch` or of `@messaging-topup/core/http-client`.
 */
export class Transport extends Context.Service<
  Transport,
  {
    readonly send: Send
    /** The headers of every request. */
    readonly headers: Readonly<Record<string, string>>
    /** True if `send` calls `onStart`. Otherwise, a request may have started when `send` is called. */
    readonly reportsStart?: true
  }
>()("@messaging-topup/core/call/Transport") {}
