/**
 * A mock server of the service: the same contract, a state of its own, and faults on request.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Fault, FaultOptions } from "./Fault.ts"
import * as Engine from "./internal/Engine.ts"
import * as InProcessFetch from "./internal/InProcessFetch.ts"
import * as NodeServer from "./internal/NodeServer.ts"
import type { AcceptedSms, ReceivedRequest } from "./Recorded.ts"
import type { SandboxStartError } from "./SandboxStartError.ts"

/**
 * The settings of a sandbox without sockets.
 *
 * @since 0.1.0
 */
export interface InProcessOptions {
  /** The access token that is accepted. Default: a random one. */
  readonly token?: Redacted.Redacted
}

/**
 * The settings of a sandbox on a real port.
 *
 * @since 0.1.0
 */
export interface SandboxOptions extends InProcessOptions {
  /** Default: 0, which takes a free one. */
  readonly port?: number
  /** Default: `127.0.0.1`, which only this machine can reach. */
  readonly host?: string
}

/**
 * A running sandbox: where it is, what it saw, what it should do wrong.
 *
 * Each sandbox has a state of its own, in memory. Nothing is ever sent, and `webhook_url` is never
 * called.
 *
 * @since 0.1.0
 */
export class Sandbox extends Context.Service<
  Sandbox,
  {
    /** Without a slash at the end. */
    readonly baseUrl: string
    readonly token: Redacted.Redacted
    /** The SMS that count as accepted, in order, whatever the client was told. */
    readonly accepted: Effect.Effect<ReadonlyArray<AcceptedSms>>
    /** Every HTTP request that arrived, complete or not, in order. */
    readonly received: Effect.Effect<ReadonlyArray<ReceivedRequest>>
    /** Waits until this many requests have arrived with their bodies, or broke off. */
    readonly awaitReceived: (count: number) => Effect.Effect<ReadonlyArray<ReceivedRequest>>
    /**
     * Waits until a client goes away before its response is complete, and returns that request. None
     * is missed: each one is returned once, also when it happened before this was called.
     */
    readonly nextDisconnect: Effect.Effect<ReceivedRequest>
    /** Applies the fault to the requests that come from now on, in place of any other. */
    readonly setFault: (fault: Fault, options?: FaultOptions) => Effect.Effect<void>
    readonly clearFault: Effect.Effect<void>
    /** Forgets the messages, the requests, the disconnects and the fault. */
    readonly reset: Effect.Effect<void>
  }
>()("@messaging-topup/sandbox/Sandbox") {
  /**
   * A real HTTP server. With the layer it stops listening and closes every connection.
   *
   * @since 0.1.0
   */
  static readonly layer = (options?: SandboxOptions): Layer.Layer<Sandbox, SandboxStartError> =>
    Layer.effect(Sandbox, makeServer(options ?? {}))

  /**
   * No sockets: the `HttpClient` that comes with it responds for `https://sandbox.invalid`, and
   * fails as `fetch` does under a fault. It never follows a redirect.
   *
   * @since 0.1.0
   */
  static readonly layerInProcess = (
    options?: InProcessOptions
  ): Layer.Layer<Sandbox | HttpClient.HttpClient> =>
    Layer.effectContext(makeInProcess(options ?? {}))
}

const randomToken = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return Redacted.make(`sandbox-${Hex.encode(bytes)}`)
}

const inProcessUrl = "https://sandbox.invalid"

const nothing = { open: Effect.void, close: Effect.void }

const makeServer = Effect.fnUntraced(function* (options: SandboxOptions) {
  const token = options.token ?? randomToken()
  const { controls, exchange, log } = yield* Engine.make(token)
  const address = { host: options.host ?? "127.0.0.1", port: options.port ?? 0 }
  const server = yield* NodeServer.make(address, log, exchange)
  return Sandbox.of({ ...controls(server), baseUrl: server.url, token })
})

const makeInProcess = Effect.fnUntraced(function* (options: InProcessOptions) {
  const token = options.token ?? randomToken()
  const { controls, exchange, faults, log } = yield* Engine.make(token)
  const fetch = yield* InProcessFetch.make(inProcessUrl, log, faults, exchange)
  const transport = yield* Layer.build(
    Layer.provide(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.Fetch, fetch))
  )
  return Context.add(
    transport,
    Sandbox,
    Sandbox.of({ ...controls(nothing), baseUrl: inProcessUrl, token })
  )
})
