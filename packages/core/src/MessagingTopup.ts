/** The service as Effects: sending SMS, and reports on SMS, airtime and data bundles. */
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

/** The five operations. */
export class MessagingTopup extends Context.Service<MessagingTopup, MessagingTopupService>()(
  "@messaging-topup/core/MessagingTopup"
) {
  /**
   * Makes the service as a value, for programs that use several accounts. The transport is the same as
   * for the layer.
   *
   * @example
   * ```ts
   * import { MessagingTopup } from "@messaging-topup/core"
   * import * as NodeTransport from "@messaging-topup/core/node"
   * import * as Console from "effect/Console"
   * import * as Effect from "effect/Effect"
   * import * as Redacted from "effect/Redacted"
   *
   * const baseUrl = process.env["MESSAGING_TOPUP_BASE_URL"] ?? "https://api.example.com"
   * const tokens = [process.env["MESSAGING_TOPUP_TOKEN"] ?? "", "token-of-another-account"]
   *
   * const program = Effect.forEach(tokens, (token) =>
   *   MessagingTopup.make({ baseUrl, token: Redacted.make(token) }).pipe(
   *     Effect.flatMap((service) => service.listDataBundles()),
   *     Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: () => "listed" }),
   *     Effect.flatMap(Console.log)
   *   )
   * )
   *
   * await Effect.runPromise(Effect.provide(program, NodeTransport.layer))
   * // listed
   * // UndocumentedStatus
   * ```
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
   * @example
   * ```ts
   * import { MessagingTopup } from "@messaging-topup/core"
   * import * as NodeTransport from "@messaging-topup/core/node"
   * import * as Effect from "effect/Effect"
   * import * as Layer from "effect/Layer"
   * import * as Redacted from "effect/Redacted"
   *
   * const service = MessagingTopup.layer({
   *   baseUrl: process.env["MESSAGING_TOPUP_BASE_URL"] ?? "https://api.example.com",
   *   token: Redacted.make(process.env["MESSAGING_TOPUP_TOKEN"] ?? ""),
   *   timeout: "10 seconds"
   * })
   *
   * const program = MessagingTopup.use((each) =>
   *   each.sendSms({ recipient: "+15550100123", message: "Your code is 4711" })
   * )
   *
   * const { data } = await Effect.runPromise(
   *   Effect.provide(program, Layer.provide(service, NodeTransport.layer))
   * )
   * console.log(data.length) // 1
   * ```
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
 * @example
 * ```ts
 * import { awaitSmsStatus, layerConfig, MessagingTopup } from "@messaging-topup/core"
 * import * as NodeTransport from "@messaging-topup/core/node"
 * import * as Console from "effect/Console"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Schedule from "effect/Schedule"
 *
 * const program = Effect.gen(function* () {
 *   const { sendSms } = yield* MessagingTopup
 *   const { data } = yield* sendSms({ recipient: "+15550100123", message: "Your code is 4711" })
 *   const record = yield* awaitSmsStatus(data[0]?.message_id ?? "", {
 *     until: ({ status }) => status !== "scheduled",
 *     schedule: Schedule.spaced("2 seconds"),
 *     timeout: "1 minute"
 *   })
 *   yield* Console.log(record.recipient) // +15550100123
 * })
 *
 * await program.pipe(
 *   Effect.provide(Layer.provide(layerConfig, NodeTransport.layer)),
 *   Effect.runPromise
 * )
 * ```
 *
 * Source: service description §4.2, GET /sms/{message_id}
 */
export const awaitSmsStatus = (
  messageId: string,
  options: AwaitSmsStatusOptions
): Effect.Effect<SmsStatusRecord, GetSmsStatusError | StillPending, MessagingTopup> =>
  Effect.flatMap(MessagingTopup, (service) => followStatus(service, messageId, options))
