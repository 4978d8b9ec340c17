/** The HTTP transport for runtimes other than Node: the platform's `fetch`. */
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as FetchWire from "./FetchWire.ts"
import * as WireClient from "./WireClient.ts"

/**
 * Provides an `HttpClient` that uses the platform's `fetch`.
 *
 * `fetch` does not say whether a request started, so `sendOutcome` returns `"not-sent"` for fewer
 * failures than with `@messaging-topup/core/node`. A browser may resend a POST on its own, and
 * `fetch` resends it after HTTP 421.
 *
 * @example
 * ```ts
 * import { layerConfig, MessagingTopup } from "@messaging-topup/core"
 * import * as FetchTransport from "@messaging-topup/core/fetch"
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
 *   Effect.provide(Layer.provide(layerConfig, FetchTransport.layer)),
 *   Effect.runPromise
 * )
 * ```
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.sync(HttpClient.HttpClient, () =>
  WireClient.make(FetchWire.make())
)
