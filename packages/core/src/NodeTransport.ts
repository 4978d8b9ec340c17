/**
 * The HTTP transport for Node and Deno: undici, with connections of its own.
 *
 * HTTP/1.1 only, because undici resends a refused stream of HTTP/2, a POST as well. Responses in
 * gzip, deflate and br are decoded. undici is loaded with the first request.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type { Dispatcher } from "undici"
import type { ConfigurationError } from "./errors/ConfigurationError.ts"
import { compileSchemas } from "./internal/CompiledSchemas.ts"
import { proxyEnvironment } from "./internal/ProxyEnvironment.ts"
import * as UndiciDispatcher from "./internal/UndiciDispatcher.ts"
import { refusal } from "./internal/UndiciPlatform.ts"
import * as UndiciWire from "./internal/UndiciWire.ts"
import * as WireClient from "./internal/WireClient.ts"
import type { NodeTransportOptions } from "./NodeTransportOptions.ts"

export type { NodeTransportOptions }

/**
 * The transport with options of its own. Its connections are closed with the layer.
 *
 * Errors: `ConfigurationError` for an option that it cannot work with, on Bun, whose undici sends
 * nothing, and on a Node that is older than 22.19.
 *
 * @since 0.1.0
 */
export const layerOptions = (
  options: NodeTransportOptions
): Layer.Layer<HttpClient.HttpClient, ConfigurationError> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      if (refusal !== undefined) return yield* refusal
      compileSchemas()
      const settings = yield* Effect.fromResult(UndiciDispatcher.check(options))
      const proxies = settings.proxy === "env" ? yield* proxyEnvironment : undefined
      const dispatcher = yield* Effect.acquireRelease(
        Effect.sync(() => UndiciDispatcher.make(settings, proxies)),
        ({ close }) => Effect.promise(close)
      )
      return WireClient.make(
        UndiciWire.make(dispatcher, UndiciDispatcher.headers(settings.userAgent))
      )
    })
  )

/**
 * The transport with its defaults.
 *
 * @since 0.1.0
 */
export const layer: Layer.Layer<HttpClient.HttpClient, ConfigurationError> = layerOptions({})

/**
 * The transport over a dispatcher of your own, which you close. It must not retry: take no dispatcher
 * with a retry interceptor. An `Agent` and a `ProxyAgent` are told to speak HTTP/1.1; make a `Client`
 * or a `Pool` with `allowH2: false`, or it resends what a server refuses on HTTP/2, a POST as well.
 *
 * @since 0.1.0
 */
export const layerDispatcher = (
  dispatcher: Dispatcher
): Layer.Layer<HttpClient.HttpClient, ConfigurationError> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.suspend(() => {
      if (refusal !== undefined) return refusal
      compileSchemas()
      const wire = UndiciWire.make(UndiciDispatcher.given(dispatcher), UndiciDispatcher.headers())
      return Effect.succeed(WireClient.make(wire))
    })
  )
