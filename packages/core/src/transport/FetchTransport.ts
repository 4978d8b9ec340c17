/**
 * The HTTP transport for runtimes other than Node: the platform's `fetch`.
 *
 * @since 0.1.0
 */
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
 * @since 0.1.0
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.sync(HttpClient.HttpClient, () =>
  WireClient.make(FetchWire.make())
)
