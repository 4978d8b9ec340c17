/**
 * The client on each transport.
 */
import {
  type ConfigurationError,
  MessagingTopup,
  type MessagingTopupOptions,
  type Transport as CoreTransport
} from "@messaging-topup/core"
import * as FetchTransport from "@messaging-topup/core/fetch"
import * as HttpClientTransport from "@messaging-topup/core/http-client"
import * as NodeTransport from "@messaging-topup/core/node"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** A layer that can be the transport of a client. */
export type Transport = Layer.Layer<CoreTransport, ConfigurationError>

export const transports: ReadonlyArray<readonly [string, Transport]> = [
  ["undici", NodeTransport.layer],
  ["fetch", FetchTransport.layer]
]

/** And one on an Effect `HttpClient`, for what it could change. */
export const allTransports: typeof transports = [
  ...transports,
  ["Effect's HttpClient", Layer.provide(HttpClientTransport.layer, FetchHttpClient.layer)]
]

export const token = "t0ken-of-the-tests-9f3a"

/** A client without retries, unless the test sets them. */
export const client = (
  baseUrl: string,
  transport: Transport = NodeTransport.layer,
  options: Partial<MessagingTopupOptions> = {}
) =>
  MessagingTopup.layer({
    baseUrl,
    token: Redacted.make(token),
    readRetries: 0,
    ...options
  }).pipe(Layer.provide(transport))
