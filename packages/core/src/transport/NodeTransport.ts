/**
 * The HTTP transport for Node and Deno: undici, with its own connections.
 *
 * It uses HTTP/1.1 only, because undici resends a refused HTTP/2 stream, even a POST. It decodes
 * responses in gzip, deflate and br.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type { Dispatcher } from "undici"
import { compileSchemas } from "../call/CompiledSchemas.ts"
import { ConfigurationError } from "../errors/ConfigurationError.ts"
import type { NodeTransportOptions } from "./NodeTransportOptions.ts"
import * as UndiciDispatcher from "./UndiciDispatcher.ts"
import { platformError } from "./UndiciPlatform.ts"
import * as UndiciWire from "./UndiciWire.ts"
import * as WireClient from "./WireClient.ts"

export type { NodeTransportOptions }

const variable = (name: string): Effect.Effect<string> =>
  Config.String(name).pipe(
    Config.withDefault(""),
    Effect.orElseSucceed(() => "")
  )

const url = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  for (const name of names) {
    const value = yield* variable(name)
    if (value === "") continue
    if (UndiciDispatcher.isProxyUrl(value)) return value
    return yield* new ConfigurationError({ setting: name, problem: UndiciDispatcher.proxyAdvice })
  }
  return ""
})

/** The proxies of the environment, in undici's order: names in lower case first. */
const proxyEnvironment: Effect.Effect<UndiciDispatcher.Proxies, ConfigurationError> = Effect.gen(
  function* () {
    return {
      httpProxy: yield* url("http_proxy", "HTTP_PROXY"),
      httpsProxy: yield* url("https_proxy", "HTTPS_PROXY"),
      noProxy: (yield* variable("no_proxy")) || (yield* variable("NO_PROXY"))
    }
  }
)

/**
 * A bundle in CommonJS has the `require` that undici needs. There, undici loads on the first
 * request, so that the program starts faster.
 */
const isCommonJs = typeof module === "object"

/** The usual reasons are a bundle without a `require`, and a permission that Deno did not give. */
const notLoaded = (reason: unknown): ConfigurationError =>
  new ConfigurationError({
    setting: "transport",
    problem: `undici cannot be loaded, and docs/runtimes.md says what it needs (${String(reason)})`
  })

/**
 * Builds the transport with options. Its connections close with the layer.
 *
 * Errors: `ConfigurationError` for an invalid option, if undici cannot be loaded, on Bun (whose
 * undici sends nothing) and on Node older than 22.19.
 *
 * @example
 * ```ts
 * import { layerConfig, MessagingTopup } from "@messaging-topup/core"
 * import * as NodeTransport from "@messaging-topup/core/node"
 * import * as Console from "effect/Console"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const transport = NodeTransport.layerOptions({ connections: 20, userAgent: "orders/2.1" })
 *
 * const program = Effect.gen(function* () {
 *   const { listDataBundles } = yield* MessagingTopup
 *   const { category } = yield* listDataBundles()
 *   yield* Console.log(category.length > 0) // true
 * })
 *
 * await program.pipe(Effect.provide(Layer.provide(layerConfig, transport)), Effect.runPromise)
 * ```
 */
export const layerOptions = (
  options: NodeTransportOptions
): Layer.Layer<HttpClient.HttpClient, ConfigurationError> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      if (platformError !== undefined) return yield* platformError
      compileSchemas()
      const settings = yield* Effect.fromResult(UndiciDispatcher.check(options))
      const proxies = settings.proxy === "env" ? yield* proxyEnvironment : undefined
      const dispatcher = yield* Effect.acquireRelease(
        Effect.sync(() => UndiciDispatcher.make(settings, proxies)),
        ({ close }) => Effect.promise(close)
      )
      if (!isCommonJs) yield* Effect.tryPromise({ try: dispatcher.load, catch: notLoaded })
      return WireClient.make(
        UndiciWire.make(dispatcher, UndiciDispatcher.headers(settings.userAgent))
      )
    })
  )

/**
 * The transport with the default options.
 *
 * @example
 * ```ts
 * import { layerConfig, MessagingTopup } from "@messaging-topup/core"
 * import * as NodeTransport from "@messaging-topup/core/node"
 * import * as Console from "effect/Console"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   const { listDataBundles } = yield* MessagingTopup
 *   const { category } = yield* listDataBundles()
 *   yield* Console.log(category.length > 0) // true
 * })
 *
 * await program.pipe(
 *   Effect.provide(Layer.provide(layerConfig, NodeTransport.layer)),
 *   Effect.runPromise
 * )
 * ```
 */
export const layer: Layer.Layer<HttpClient.HttpClient, ConfigurationError> = layerOptions({})

/**
 * Builds the transport on your own dispatcher, which you close.
 *
 * The dispatcher must not retry, so do not use one with a retry interceptor. The transport makes an
 * `Agent` and a `ProxyAgent` use HTTP/1.1. Create a `Client` or a `Pool` with `allowH2: false`:
 * otherwise it resends a request that a server refuses on HTTP/2, even a POST.
 *
 * Errors: `ConfigurationError` on Bun and on Node older than 22.19.
 *
 * @example
 * ```ts
 * import { layerConfig, MessagingTopup } from "@messaging-topup/core"
 * import * as NodeTransport from "@messaging-topup/core/node"
 * import * as Console from "effect/Console"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import { Agent } from "undici"
 *
 * const agent = new Agent({ connections: 20, keepAliveTimeout: 1000 })
 * const transport = NodeTransport.layerDispatcher(agent)
 *
 * const program = Effect.gen(function* () {
 *   const { listDataBundles } = yield* MessagingTopup
 *   const { category } = yield* listDataBundles()
 *   yield* Console.log(category.length > 0) // true
 * })
 *
 * await program.pipe(Effect.provide(Layer.provide(layerConfig, transport)), Effect.runPromise)
 * await agent.close()
 * ```
 */
export const layerDispatcher = (
  dispatcher: Dispatcher
): Layer.Layer<HttpClient.HttpClient, ConfigurationError> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.suspend(() => {
      if (platformError !== undefined) return platformError
      compileSchemas()
      const wire = UndiciWire.make(UndiciDispatcher.given(dispatcher), UndiciDispatcher.headers())
      return Effect.succeed(WireClient.make(wire))
    })
  )
