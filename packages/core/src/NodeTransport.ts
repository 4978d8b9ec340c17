/**
 * The HTTP transport for Node: undici, with connections of its own.
 *
 * @since 0.1.0
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Layer from "effect/Layer"

/**
 * HTTP/1.1, because undici resends a refused stream of HTTP/2, a POST as well. Connections
 * are closed with the layer.
 *
 * @since 0.1.0
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = NodeHttpClient.layerUndiciOptions({
  allowH2: false
})
