/** One attempt of a request, as every transport makes it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type {
  ConnectionFailed,
  ConnectionLost,
  InvalidInput,
  RequestTimedOut
} from "../errors/ClientFailures.ts"
import type { ResponseHeaders, WireRequest } from "./WireRequest.ts"

/**
 * A callback that runs once for each attempt, when the first byte of its request is about to leave.
 * On a transport that does not report this (`fetch`, or a wrapped `HttpClient`), it runs when the
 * transport is called. It must not throw.
 *
 * Returns whether the request may start. If `false`, it does not start, and the call is
 * interrupted.
 *
 * A send that is cancelled before the first callback did not go out. After it, a program can let
 * the send end, to learn its outcome.
 *
 * @example
 * ```ts
 * import { layerConfig, MessagingTopup, OnRequestStart } from "@messaging-topup/core"
 * import * as NodeTransport from "@messaging-topup/core/node"
 * import * as Console from "effect/Console"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * let started = 0
 *
 * const program = Effect.gen(function* () {
 *   const { listDataBundles } = yield* MessagingTopup
 *   yield* Effect.provideService(listDataBundles(), OnRequestStart, () => {
 *     started++
 *     return true
 *   })
 *   yield* Console.log(started) // 1
 * })
 *
 * await program.pipe(
 *   Effect.provide(Layer.provide(layerConfig, NodeTransport.layer)),
 *   Effect.runPromise
 * )
 * ```
 */
export const OnRequestStart = Context.Reference<() => boolean>(
  "@messaging-topup/core/OnRequestStart",
  { defaultValue: () => () => true }
)

/** Returns how long the call may still take. */
export const RemainingMillis = Context.Reference<() => number>(
  "@messaging-topup/core/internal/RemainingMillis",
  { defaultValue: () => () => Infinity }
)

/** The status of the current attempt's response, when its head arrived. */
export const OnResponseStart = Context.Reference<(status: number) => void>(
  "@messaging-topup/core/internal/OnResponseStart",
  { defaultValue: () => () => {} }
)

export interface Body {
  readonly bytes: Uint8Array
  /** Whether the body was longer than the maximum. */
  readonly truncated: boolean
}

/** What a response begins with. */
export interface Head {
  readonly status: number
  readonly headers: ResponseHeaders
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
  readonly isDocumented: (status: number) => boolean
  /** Returns the field of an error that names the request, if its response has one. */
  readonly requestIdIn: (headers: ResponseHeaders) => { readonly requestId?: string }
  /** Called when the request is about to start. Returns whether it may. */
  readonly onStart: () => boolean
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
  /** The headers of every request. */
  readonly headers: Readonly<Record<string, string>>
  /** How often a send is retried if its request did not start. */
  readonly sendRetries: number
  /** Whether code of the program runs within an attempt. */
  readonly runsProgram: boolean
}
