/** How requests reach the service, one by one: what every transport does. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
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
  /** With the access token. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string | undefined
}

/** The headers of a response, with names in lower case: a `Map` or the platform's `Headers`. */
export interface ResponseHeaders extends Iterable<readonly [name: string, value: string]> {
  /** Returns the value of one header. */
  readonly get: (name: string) => string | null | undefined
}

/** What a response begins with. */
export interface Head {
  /** The HTTP status. */
  readonly status: number
  readonly headers: ResponseHeaders
}

/** The body of a response. */
export interface Body {
  readonly bytes: Uint8Array
  /** Whether the body was longer than the maximum. */
  readonly truncated: boolean
}

/** A response. */
export interface Received extends Head {
  readonly body: Body
}

/** What a request without a whole response fails with. */
export type RequestFailure = InvalidInput | ConnectionFailed | ConnectionLost | RequestTimedOut

/** What a request must keep to, and what it tells. */
export interface RequestOptions {
  /** The operation, for the errors. */
  readonly operation: string
  /** The time-out, including the body. */
  readonly timeoutMillis: number
  readonly maxBodyBytes: number
  /**
   * Whether a body that broke off is a failure, after what arrived of it. Otherwise the response ends
   * where it broke off.
   */
  readonly needsRest: (status: number, arrived: Uint8Array) => boolean
  /** To call when the request is about to start. Returns whether it may. */
  readonly onStart: () => boolean
  /** To call when the head of the response arrived, because its body can be lost. */
  readonly onHead: (head: Head) => void
}

/**
 * The HTTP transport of a client: a layer of `@messaging-topup/core/node`, of
 * `@messaging-topup/core/fetch` or of `@messaging-topup/core/http-client`, or one of a test.
 */
export class Transport extends Context.Service<
  Transport,
  {
    /** Makes one request: it must start at most once, and follow no redirect. */
    readonly send: (
      request: WireRequest,
      options: RequestOptions
    ) => Effect.Effect<Received, RequestFailure>
    /** The headers of every request. */
    readonly headers: Readonly<Record<string, string>>
    /** Whether `send` calls `onStart`. If not, a request may have started when `send` is called. */
    readonly reportsStart: boolean
  }
>()("@messaging-topup/core/call/Transport") {}

type Send = Transport["Service"]["send"]

/** The `send` of a transport. It calls `onStart` also for a transport that does not. */
export const reportingSend = ({ reportsStart, send }: Transport["Service"]): Send =>
  reportsStart
    ? send
    : (request, options) =>
        Effect.suspend(() => (options.onStart() ? send(request, options) : Effect.interrupt))

/** Wraps a transport that each request gets from `load`, so that a client can be built before it. */
export const lazyTransport = (load: Effect.Effect<Transport["Service"]>): Transport["Service"] => ({
  headers: {},
  reportsStart: true,
  send: (request, options) =>
    Effect.flatMap(load, (transport) => {
      const headers = { ...transport.headers, ...request.headers }
      return reportingSend(transport)({ ...request, headers }, options)
    })
})
