/**
 * The service as Effects: sending SMS, and reports on SMS, airtime and data bundles.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type { ConfigurationError } from "./errors/ConfigurationError.ts"
import { sendOverClient } from "./transport/SendOverClient.ts"
import { sendOverWire } from "./transport/SendOverWire.ts"
import { makeService, type MessagingTopupService } from "./call/Service.ts"
import * as Settings from "./call/Settings.ts"
import { wireOf } from "./transport/WireClient.ts"
import type { MessagingTopupOptions } from "./call/MessagingTopupOptions.ts"

/**
 * The five operations.
 *
 * @since 0.1.0
 */
export class MessagingTopup extends Context.Service<MessagingTopup, MessagingTopupService>()(
  "@messaging-topup/core/MessagingTopup"
) {
  /**
   * Builds the service on an HTTP transport: the layer of `@messaging-topup/core/node`, the layer
   * of `@messaging-topup/core/fetch`, or any other `HttpClient`.
   *
   * @since 0.1.0
   */
  static readonly layer = (
    options: MessagingTopupOptions
  ): Layer.Layer<MessagingTopup, ConfigurationError, HttpClient.HttpClient> =>
    Layer.effect(MessagingTopup, make(options))
}

const make = Effect.fnUntraced(function* (options: MessagingTopupOptions) {
  const settings = yield* Effect.fromResult(Settings.check(options))
  const client = yield* HttpClient.HttpClient
  const wire = wireOf(client)
  return makeService(settings, wire === undefined ? sendOverClient(client) : sendOverWire(wire))
})
