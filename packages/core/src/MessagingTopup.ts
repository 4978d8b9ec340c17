/**
 * The service as Effects: sending SMS, and reports on SMS, airtime and data bundles.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import {
  type AwaitSmsStatusOptions,
  followStatus,
  type StillPending
} from "./call/AwaitSmsStatus.ts"
import type { MessagingTopupOptions } from "./call/MessagingTopupOptions.ts"
import { makeService, type MessagingTopupService } from "./call/Service.ts"
import * as Settings from "./call/Settings.ts"
import type { ConfigurationError } from "./errors/ConfigurationError.ts"
import type { GetSmsStatusError, SmsStatusRecord } from "./operations/GetSmsStatus.ts"
import { transportOf } from "./transport/SendOverClient.ts"

/**
 * The five operations.
 *
 * @since 0.1.0
 */
export class MessagingTopup extends Context.Service<MessagingTopup, MessagingTopupService>()(
  "@messaging-topup/core/MessagingTopup"
) {
  /**
   * Makes the service as a value, for programs that use several accounts. The transport is the same as
   * for the layer.
   *
   * @since 0.1.0
   */
  static readonly make = (
    options: MessagingTopupOptions
  ): Effect.Effect<MessagingTopupService, ConfigurationError, HttpClient.HttpClient> =>
    Effect.flatMap(Effect.fromResult(Settings.check(options)), (settings) =>
      Effect.map(HttpClient.HttpClient, (client) => makeService(settings, transportOf(client)))
    )

  /**
   * Builds the service on an HTTP transport: the layer of `@messaging-topup/core/node`, the layer
   * of `@messaging-topup/core/fetch`, or any other `HttpClient`.
   *
   * @since 0.1.0
   */
  static readonly layer = (
    options: MessagingTopupOptions
  ): Layer.Layer<MessagingTopup, ConfigurationError, HttpClient.HttpClient> =>
    Layer.effect(MessagingTopup, MessagingTopup.make(options))
}

/**
 * Reads the status of an SMS until a record satisfies `until`, and succeeds with the first record
 * of the response that does.
 *
 * Errors: an error of `getSmsStatus` ends the wait, unless `continueOn` returns true for it.
 * `StillPending` when the time-out or the schedule ends first.
 *
 * Source: service description §4.2, GET /sms/{message_id}
 * @since 0.1.0
 */
export const awaitSmsStatus = (
  messageId: string,
  options: AwaitSmsStatusOptions
): Effect.Effect<SmsStatusRecord, GetSmsStatusError | StillPending, MessagingTopup> =>
  Effect.flatMap(MessagingTopup, (service) => followStatus(service, messageId, options))
