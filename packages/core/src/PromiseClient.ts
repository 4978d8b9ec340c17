/**
 * The five operations for scripts that do not use Effect: plain promises over `fetch`.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { Aborted } from "./errors/Aborted.ts"
import { ClientClosed } from "./errors/ClientClosed.ts"
import { InvalidInput } from "./errors/InvalidInput.ts"
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
 * @since 0.1.0
 */
export interface CreateClientOptions {
  /** Where the service is; see `MessagingTopupOptions`. */
  readonly baseUrl: string
  /** The access token, as it was issued. */
  readonly token: string
  /** For one attempt, its body included, in milliseconds. Default: 30,000. */
  readonly timeout?: number
}

/**
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
  /** Source: service description §4.1, POST /sms/send */
  readonly sendSms: (request: SendSmsRequest, options?: CallOptions) => Promise<SendSmsResponse>
  /** Source: service description §4.2, GET /sms/{message_id} */
  readonly getSmsStatus: (messageId: string, options?: CallOptions) => Promise<GetSmsStatusResponse>
  /** Source: service description §4.3, GET /v1/airtime/{referencecode} */
  readonly getAirtimeStatus: (
    referenceCode: string,
    options?: CallOptions
  ) => Promise<GetAirtimeStatusResponse>
  /** Source: service description §4.4, GET /v1/databundle/{referencecode} */
  readonly getDataBundleStatus: (
    referenceCode: string,
    options?: CallOptions
  ) => Promise<GetDataBundleStatusResponse>
  /** Source: service description §4.5, GET /v1/list-bundles */
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
 * @since 0.1.0
 */
export const isSendSmsRejection = (error: unknown): error is SendSmsRejection =>
  Predicate.hasProperty(error, "sendOutcome")

type Rejection<E> = E | InvalidInput | Aborted | ClientClosed

const outcomeOf = (error: Rejection<SendSmsError>): SendOutcome => {
  switch (error._tag) {
    case "Aborted":
      return error.started ? "unknown" : "not-sent"
    case "ClientClosed":
      return "not-sent"
    default:
      return sendOutcome(error)
  }
}

const rejectionOf = <E>(cause: Cause.Cause<E>): Rejection<E> => {
  const error = Cause.findErrorOption(cause)
  if (Option.isSome(error)) return error.value
  if (Cause.hasInterrupts(cause)) return new Aborted({ started: true })
  throw Cause.squash(cause)
}

/** A controller in place of its signal is an easy slip, and would leave the call without one. */
const isSignal = (value: unknown): boolean =>
  Predicate.hasProperty(value, "aborted") && Predicate.hasProperty(value, "addEventListener")

const refusal = (signal: AbortSignal | undefined): Aborted | InvalidInput | undefined => {
  if (Predicate.isNullish(signal)) return undefined
  if (!isSignal(signal))
    return new InvalidInput({ field: "signal", problem: "Expected AbortSignal" })
  return signal.aborted ? new Aborted({ started: false }) : undefined
}

const run = <A, E>(
  operation: Effect.Effect<A, E>,
  signal: AbortSignal | undefined
): Promise<Result.Result<A, Rejection<E>>> => {
  const refused = refusal(signal)
  return refused !== undefined
    ? Promise.resolve(Result.fail(refused))
    : Effect.runPromiseExit(operation, signal && { signal }).then((exit) =>
        Exit.isSuccess(exit) ? Result.succeed(exit.value) : Result.fail(rejectionOf(exit.cause))
      )
}

const orThrow = <A, E>(result: Result.Result<A, E>): A => {
  if (Result.isFailure(result)) throw result.failure
  return result.success
}

/** Calls in flight, so that closing can wait for them: an SMS that is cut off is one unknown more. */
const makeCalls = () => {
  const inFlight = new Set<Promise<unknown>>()
  let isClosed = false
  return {
    start: <A, E>(
      operation: Effect.Effect<A, E>,
      options: CallOptions | undefined
    ): Promise<Result.Result<A, Rejection<E>>> => {
      if (isClosed) return Promise.resolve(Result.fail(new ClientClosed({})))
      const call = run(operation, options?.signal).finally(() => inFlight.delete(call))
      inFlight.add(call)
      return call
    },
    close: (): Promise<void> => {
      isClosed = true
      return Promise.allSettled(inFlight).then(() => undefined)
    }
  }
}

/**
 * A client over the platform's `fetch`. Throws `ConfigurationError` where an option is missing or
 * unsafe.
 *
 * Closing it (`await using`, or `client[Symbol.asyncDispose]()`) waits for the calls in flight; each
 * is bounded by its time-out.
 *
 * @since 0.1.0
 */
export const createClient = ({
  baseUrl,
  timeout,
  token
}: CreateClientOptions): MessagingTopupClient => {
  const service = Effect.runSync(
    // Promises are where Effect ends.
    // @effect-diagnostics-next-line strictEffectProvide:off
    Effect.provide(
      MessagingTopup,
      MessagingTopup.layer({
        baseUrl,
        token: Redacted.make(token),
        ...(timeout === undefined ? {} : { timeout })
      }).pipe(Layer.provide(FetchHttpClient.layer))
    )
  )
  const calls = makeCalls()
  return {
    sendSms: (request, options) =>
      calls
        .start(service.sendSms(request), options)
        .then((result) =>
          orThrow(
            Result.mapError(result, (error): SendSmsRejection =>
              Object.assign(error, { sendOutcome: outcomeOf(error) })
            )
          )
        ),
    getSmsStatus: (messageId, options) =>
      calls.start(service.getSmsStatus(messageId), options).then(orThrow),
    getAirtimeStatus: (referenceCode, options) =>
      calls.start(service.getAirtimeStatus(referenceCode), options).then(orThrow),
    getDataBundleStatus: (referenceCode, options) =>
      calls.start(service.getDataBundleStatus(referenceCode), options).then(orThrow),
    listDataBundles: (options) =>
      calls.start(service.listDataBundles(options), options).then(orThrow),
    previewSms: (message) => Promise.resolve(message).then(preview),
    [Symbol.asyncDispose]: calls.close
  }
}
