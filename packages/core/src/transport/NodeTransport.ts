/**
 * The HTTP transport for Node and Deno: undici, with its own connections. It uses HTTP/1.1 only, and
 * decompresses responses in gzip, deflate and br.
 */
import "../NodeVersion.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Dispatcher } from "undici"
import { checkOptions, connectionOptions } from "../call/OptionChecks.ts"
import type { ConnectionOptions } from "../call/Options.ts"
import { Transport } from "../call/Transport.ts"
import type { ConfigurationError } from "../errors/ClientFailures.ts"
import { checkUndici, openConnections } from "./UndiciConnections.ts"
import { undiciWire } from "./UndiciWire.ts"
import { transportOver } from "./TimedRequest.ts"

export type { ConnectionOptions }

/**
 * Builds the transport with options. Its connections close with the layer. If Node's own switch
 * `NODE_USE_ENV_PROXY` is on, it uses the proxies of the environment.
 *
 * Errors: `ConfigurationError` for an invalid option or proxy, and on Bun, or with undici 6 or older, which send
 * nothing.
 */
export const layerOptions = (
  options: ConnectionOptions
): Layer.Layer<Transport, ConfigurationError> =>
  Layer.effect(
    Transport,
    Effect.gen(function* () {
      const settings = yield* Effect.fromResult(checkOptions(connectionOptions, options))
      const dispatcher = yield* Effect.acquireRelease(
        Effect.suspend(() => Effect.fromResult(openConnections(settings.connections))),
        (opened) => Effect.promise(() => opened.destroy())
      )
      return transportOver(undiciWire(dispatcher, settings.userAgent))
    })
  )

/** The transport with the default options. */
export const layer: Layer.Layer<Transport, ConfigurationError> = layerOptions({})

/**
 * Builds the transport on your own dispatcher, which you close: for a certificate, a proxy or another
 * time-out of the connection than 10 seconds.
 *
 * The dispatcher must not retry, so do not use one with a retry interceptor. The transport makes an
 * `Agent` and a `ProxyAgent` use HTTP/1.1. Create a `Client` or a `Pool` with `allowH2: false`:
 * otherwise it resends a request that a server refuses on HTTP/2, even a POST.
 *
 * Errors: `ConfigurationError` on Bun, and for a dispatcher of undici 6 or older.
 */
export const layerDispatcher = (
  dispatcher: Dispatcher
): Layer.Layer<Transport, ConfigurationError> =>
  Layer.effect(
    Transport,
    Effect.map(
      Effect.suspend(() => Effect.fromResult(checkUndici(dispatcher))),
      () => transportOver(undiciWire(dispatcher))
    )
  )
