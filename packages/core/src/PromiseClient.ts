/**
 * The five operations for scripts that do not use Effect: plain promises over `fetch`.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Aborted } from "./errors/Aborted.ts"
import type { ClientClosed } from "./errors/ClientClosed.ts"
import { ConfigurationError } from "./errors/ConfigurationError.ts"
import { makeCallTracker, type Rejection } from "./internal/CallTracker.ts"
import { type ListDataBundlesOptions, MessagingTopup } from "./MessagingTopup.ts"
import type { GetAirtimeStatusResponse } from "./operations/GetAirtimeStatus.ts"
import type { GetDataBundleStatusResponse } from "./operations/GetDataBundleStatus.ts"
import type { GetSmsStatusResponse } from "./operations/GetSmsStatus.ts"
import type { ListDataBundlesResponse } from "./operations/ListDataBundles.ts"
import type { SendSmsError, SendSmsRequest, SendSmsResponse } from "./operations/SendSms.ts"
import { type SendOutcome, sendOutcome } from "./SendOutcome.ts"
import { preview, type SmsPreview } from "./SmsText.ts"

export { Aborted } from "./errors/Aborted.ts"
export { ClientClosed } from "./errors/ClientClosed.ts"

/**
 * Where the service is, and how it is called.
 *
 * @since 0.1.0
 */
export interface CreateClientOptions {
  /** Where the service is; see `MessagingTopupOptions`. */
  readonly baseUrl: string
  /** The access token, as it was issued. */
  readonly token: string
  /** For one attempt, its body included, in milliseconds. Default: 30,000. */
  readonly timeoutMillis?: number
}

/**
 * What one call may be told.
 *
 * @since 0.1.0
 */
export interface CallOptions {
  /** Ends the call: it rejects with `Aborted`, and the request is aborted. */
  readonly signal?: AbortSignal
}

/**
 * Every rejection is one of the errors that the operation of the same name in core fails with,
 * `Aborted` or `ClientClosed`. Those of `sendSms` carry `sendOutcome`.
 *
 * @since 0.1.0
 */
export interface MessagingTopupClient extends AsyncDisposable {
  /**
   * Sends an SMS. One call is one request: it is retried only if no connection could be made.
   * Rejections carry `sendOutcome`. A browser may resend a POST on its own, so send from a server.
   *
   * Source: service description §4.1, POST /sms/send
   */
  readonly sendSms: (request: SendSmsRequest, options?: CallOptions) => Promise<SendSmsResponse>
  /**
   * Returns the status of one SMS.
   *
   * Source: service description §4.2, GET /sms/{message_id}
   */
  readonly getSmsStatus: (messageId: string, options?: CallOptions) => Promise<GetSmsStatusResponse>
  /**
   * Returns the purchase history of an airtime purchase.
   *
   * Source: service description §4.3, GET /v1/airtime/{referencecode}
   */
  readonly getAirtimeStatus: (
    referenceCode: string,
    options?: CallOptions
  ) => Promise<GetAirtimeStatusResponse>
  /**
   * Returns the status of a purchased data bundle.
   *
   * Source: service description §4.4, GET /v1/databundle/{referencecode}
   */
  readonly getDataBundleStatus: (
    referenceCode: string,
    options?: CallOptions
  ) => Promise<GetDataBundleStatusResponse>
  /**
   * Returns the available data bundles.
   *
   * Source: service description §4.5, GET /v1/list-bundles
   */
  readonly listDataBundles: (
    options?: ListDataBundlesOptions & CallOptions
  ) => Promise<ListDataBundlesResponse>
  /** Encoding, segments and room of a text, without sending it; see `SmsText.preview`. */
  readonly previewSms: (message: string) => Promise<SmsPreview>
}

/**
 * What `sendSms` rejects with.
 *
 * @since 0.1.0
 */
export type SendSmsRejection = (SendSmsError | Aborted | ClientClosed) & {
  readonly sendOutcome: SendOutcome
}

/**
 * Whether a rejection is one of `sendSms`.
 *
 * @since 0.1.0
 */
export const isSendSmsRejection = (error: unknown): error is SendSmsRejection =>
  Predicate.hasProperty(error, "sendOutcome")

const outcomeOf = (error: Rejection<SendSmsError>): SendOutcome => {
  if (error._tag === "Aborted") return error.started ? "unknown" : "not-sent"
  return error._tag === "ClientClosed" ? "not-sent" : sendOutcome(error)
}

const asOption = (error: ConfigurationError): ConfigurationError =>
  error.setting === "timeout"
    ? new ConfigurationError({
        setting: "timeoutMillis",
        problem: "give a positive, finite number of milliseconds"
      })
    : error

const orThrow = <A, E>(result: Result.Result<A, E>): A => {
  if (Result.isFailure(result)) throw result.failure
  return result.success
}

/**
 * A client over the platform's `fetch`. Throws `ConfigurationError` where an option is missing or
 * unsafe.
 *
 * Closing it (`await using`, or `client[Symbol.asyncDispose]()`) waits for the calls in flight, so
 * that no send is cut off. A send ends with its time-out; a read may still be repeated, and wait as
 * long as `Retry-After` asks (up to a minute) in between.
 *
 * @since 0.1.0
 */
export const createClient = (options: CreateClientOptions): MessagingTopupClient => {
  // A script without types can give nothing at all.
  const { baseUrl, timeoutMillis, token }: CreateClientOptions = Object(options)
  const service = Effect.runSync(
    // Promises are where Effect ends.
    // @effect-diagnostics-next-line strictEffectProvide:off
    Effect.provide(
      MessagingTopup,
      MessagingTopup.layer({
        baseUrl,
        token: Redacted.make(token),
        ...(timeoutMillis === undefined ? {} : { timeout: timeoutMillis })
      }).pipe(Layer.provide(FetchHttpClient.layer))
    ).pipe(Effect.mapError(asOption))
  )
  const calls = makeCallTracker()
  return {
    sendSms: (request, call) =>
      calls
        .start(service.sendSms(request), call?.signal)
        .then((result) =>
          orThrow(
            Result.mapError(result, (error): SendSmsRejection =>
              Object.assign(error, { sendOutcome: outcomeOf(error) })
            )
          )
        ),
    getSmsStatus: (messageId, call) =>
      calls.start(service.getSmsStatus(messageId), call?.signal).then(orThrow),
    getAirtimeStatus: (referenceCode, call) =>
      calls.start(service.getAirtimeStatus(referenceCode), call?.signal).then(orThrow),
    getDataBundleStatus: (referenceCode, call) =>
      calls.start(service.getDataBundleStatus(referenceCode), call?.signal).then(orThrow),
    listDataBundles: (call) =>
      calls.start(service.listDataBundles(call), call?.signal).then(orThrow),
    previewSms: (message) => Promise.resolve(message).then(preview),
    [Symbol.asyncDispose]: calls.close
  }
}
