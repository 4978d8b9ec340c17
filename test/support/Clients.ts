/**
 * The client on each transport.
 */
import {
  type ConfigurationError,
  MessagingTopup,
  type MessagingTopupOptions
} from "@messaging-topup/core"
import * as FetchTransport from "@messaging-topup/core/fetch"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** A layer that can be the transport of a client. */
export type Transport = Layer.Layer<HttpClient.HttpClient, ConfigurationError>

/** The client of a transport, changed by the program. It uses `SendOverClient`. */
export const changed = (
  transport: Transport,
  change: (
    client: HttpClient.HttpClient
  ) => HttpClient.HttpClient.With<HttpClientError.HttpClientError>
): Transport =>
  Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, change)).pipe(
    Layer.provide(transport)
  )

export const unchanged = HttpClient.mapRequest((request) => request)

export const transports: ReadonlyArray<readonly [string, Transport]> = [
  ["undici", NodeTransport.layer],
  ["wrapped", changed(NodeTransport.layer, unchanged)],
  ["fetch", FetchTransport.layer]
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
