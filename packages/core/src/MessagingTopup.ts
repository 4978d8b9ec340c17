/**
 * The service as Effects: sending SMS, and reports on SMS, airtime and data bundles.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { Api } from "./Api.ts"
import type { ConfigurationError } from "./errors/ConfigurationError.ts"
import { asVariable, fromEnvironment } from "./internal/Environment.ts"
import * as Interpreter from "./internal/Interpreter.ts"
import * as Settings from "./internal/Settings.ts"
import type { MessagingTopupOptions } from "./MessagingTopupOptions.ts"
import type {
  GetAirtimeStatusError,
  GetAirtimeStatusResponse
} from "./operations/GetAirtimeStatus.ts"
import type {
  GetDataBundleStatusError,
  GetDataBundleStatusResponse
} from "./operations/GetDataBundleStatus.ts"
import type { GetSmsStatusError, GetSmsStatusResponse } from "./operations/GetSmsStatus.ts"
import type {
  ListDataBundlesError,
  ListDataBundlesQuery,
  ListDataBundlesResponse
} from "./operations/ListDataBundles.ts"
import type { SendSmsError, SendSmsRequest, SendSmsResponse } from "./operations/SendSms.ts"

/**
 * What `listDataBundles` passes on.
 *
 * @since 0.1.0
 */
export interface ListDataBundlesOptions {
  /** The caller's own query parameters, passed on as they are; a list repeats its parameter. */
  readonly query?: ListDataBundlesQuery
}

/**
 * The five operations.
 *
 * @since 0.1.0
 */
export class MessagingTopup extends Context.Service<
  MessagingTopup,
  {
    /**
     * Sends an SMS. One call is one request: it is retried only if no connection could be made.
     * `sendOutcome` says for every failure whether the message went out. A browser may resend a POST
     * on its own, so send from a server.
     *
     * Source: service description §4.1, POST /sms/send
     */
    readonly sendSms: (request: SendSmsRequest) => Effect.Effect<SendSmsResponse, SendSmsError>
    /**
     * Returns the status of one SMS.
     *
     * Source: service description §4.2, GET /sms/{message_id}
     */
    readonly getSmsStatus: (
      messageId: string
    ) => Effect.Effect<GetSmsStatusResponse, GetSmsStatusError>
    /**
     * Returns the purchase history of an airtime purchase.
     *
     * Source: service description §4.3, GET /v1/airtime/{referencecode}
     */
    readonly getAirtimeStatus: (
      referenceCode: string
    ) => Effect.Effect<GetAirtimeStatusResponse, GetAirtimeStatusError>
    /**
     * Returns the status of a purchased data bundle.
     *
     * Source: service description §4.4, GET /v1/databundle/{referencecode}
     */
    readonly getDataBundleStatus: (
      referenceCode: string
    ) => Effect.Effect<GetDataBundleStatusResponse, GetDataBundleStatusError>
    /**
     * Returns the available data bundles.
     *
     * Source: service description §4.5, GET /v1/list-bundles
     */
    readonly listDataBundles: (
      options?: ListDataBundlesOptions
    ) => Effect.Effect<ListDataBundlesResponse, ListDataBundlesError>
  }
>()("@messaging-topup/core/MessagingTopup") {
  /**
   * The service over the HTTP transport that it is given, such as the layer of
   * `@messaging-topup/core/node` or Effect's `FetchHttpClient.layer`.
   *
   * @since 0.1.0
   */
  static readonly layer = (
    options: MessagingTopupOptions
  ): Layer.Layer<MessagingTopup, ConfigurationError, HttpClient.HttpClient> =>
    Layer.effect(MessagingTopup, make(options))

  /**
   * The service with its settings from `MESSAGING_TOPUP_BASE_URL`, `MESSAGING_TOPUP_TOKEN` and,
   * where set, `MESSAGING_TOPUP_TIMEOUT` (such as `30 seconds`).
   *
   * @since 0.1.0
   */
  static readonly layerConfig: Layer.Layer<
    MessagingTopup,
    ConfigurationError,
    HttpClient.HttpClient
  > = Layer.effect(
    MessagingTopup,
    Effect.suspend(() => fromEnvironment.pipe(Effect.flatMap(make), Effect.mapError(asVariable)))
  )
}

const make = Effect.fnUntraced(function* (options: MessagingTopupOptions) {
  const settings = yield* Effect.fromResult(Settings.check(options))
  const client = yield* HttpClient.HttpClient
  const operations = Interpreter.make(Api, { ...settings, client })
  return MessagingTopup.of({
    sendSms: (payload) => operations.sendSms({ payload }),
    getSmsStatus: (message_id) => operations.getSmsStatus({ params: { message_id } }),
    getAirtimeStatus: (referencecode) => operations.getAirtimeStatus({ params: { referencecode } }),
    getDataBundleStatus: (referencecode) =>
      operations.getDataBundleStatus({ params: { referencecode } }),
    listDataBundles: (selection) => operations.listDataBundles({ query: selection?.query ?? {} })
  })
})
