/**
 * The service on each transport that it is used with.
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
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** Any layer that a client can be given for its transport. */
export type Transport = Layer.Layer<HttpClient.HttpClient, ConfigurationError>

/** A client that a program wrapped: it takes the generic path. */
const wrapped: Transport = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.mapRequest((request) => request)
  )
).pipe(Layer.provide(NodeTransport.layer))

export const transports: ReadonlyArray<readonly [string, Transport]> = [
  ["undici", NodeTransport.layer],
  ["wrapped", wrapped],
  ["fetch", FetchTransport.layer]
]

export const token = "t0ken-of-the-tests-9f3a"

/** Settings as a test wants them: no retries and short waits, unless it says otherwise. */
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
