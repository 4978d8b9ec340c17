/** The HTTP transport for runtimes other than Node: the platform's `fetch`. */
import * as Layer from "effect/Layer"
import { Transport } from "../call/Transport.ts"
import { type Fetch, fetchWire } from "./FetchWire.ts"
import { transportOver } from "./TimedRequest.ts"

/**
 * Sends with the platform's `fetch`.
 *
 * `fetch` does not say whether a request started, so every failure without a response is `"unknown"`;
 * only a connection that Bun's own `fetch` calls refused is `"not-sent"`.
 */
export const layer: Layer.Layer<Transport> = Layer.sync(Transport, () => transportOver(fetchWire()))

/**
 * Sends with a `fetch` of the program. Every failure without a response is `"unknown"`. If its responses have
 * no web stream, as those of node-fetch, a body is read as a whole before its maximum applies.
 */
export const layerFetch = (fetch: Fetch): Layer.Layer<Transport> =>
  Layer.sync(Transport, () => transportOver(fetchWire(fetch)))
