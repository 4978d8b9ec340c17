/**
 * The service on each transport that it is used with.
 */
import { MessagingTopup, type MessagingTopupOptions } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

export const transports: ReadonlyArray<readonly [string, Layer.Layer<HttpClient.HttpClient>]> = [
  ["undici", NodeTransport.layer],
  ["fetch", FetchHttpClient.layer]
]

export const token = "t0ken-of-the-tests-9f3a"

/** Settings as a test wants them: no retries and short waits, unless it says otherwise. */
export const client = (
  baseUrl: string,
  transport: Layer.Layer<HttpClient.HttpClient> = NodeTransport.layer,
  options: Partial<MessagingTopupOptions> = {}
) =>
  MessagingTopup.layer({
    baseUrl,
    token: Redacted.make(token),
    readRetries: 0,
    ...options
  }).pipe(Layer.provide(transport))
