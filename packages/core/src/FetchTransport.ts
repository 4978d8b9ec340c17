/**
 * The HTTP transport for runtimes other than Node: the platform's `fetch`.
 *
 * @since 0.1.0
 */
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as FetchWire from "./internal/FetchWire.ts"
import * as WireClient from "./internal/WireClient.ts"

/**
 * `fetch` does not say whether a request started, so fewer failures are known to be "not sent" than
 * on `@messaging-topup/core/node`. Browsers and `fetch` at HTTP 421 resend a POST on their own.
 *
 * @since 0.1.0
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.sync(HttpClient.HttpClient, () =>
  WireClient.make(FetchWire.make())
)
