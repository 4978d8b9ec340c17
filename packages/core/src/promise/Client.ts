/** The promise client, on the wire that its entry point passes. */
import * as Duration from "effect/Duration"
import { identity } from "effect/Function"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import { followStatus } from "../call/AwaitSmsStatus.ts"
import { withCallTimeout } from "../call/CallTimeout.ts"
import { sendOutcome } from "../call/SendOutcome.ts"
import { makeService } from "../call/Service.ts"
import * as Settings from "../call/Settings.ts"
import { InvalidInput } from "../errors/ClientFailures.ts"
import { documentedErrors } from "../errors/DocumentedErrors.ts"
import { preview } from "../SmsText.ts"
import { sendOverWire } from "../transport/SendOverWire.ts"
import type { Wire } from "../transport/Wire.ts"
import { callOptions, inMillis, listOptions, waitOptions } from "./CallOptions.ts"
import { makeCallTracker } from "./CallTracker.ts"
import type {
  AwaitSmsStatusRejection,
  CallOptions,
  CreateClientOptions,
  DataBundleRejection,
  MessagingTopupClient,
  MessagingTopupError,
  SendSmsRejection,
  StatusRejection
} from "./Types.ts"

export interface Connections {
  readonly wire: Wire
  readonly close: () => Promise<void>
}

/** What says how a client connects. */
export type ConnectionOptions = Pick<CreateClientOptions, "fetch" | "transport">

/** A failure of the program's function is a defect here, and `TokenUnavailable` in the call. */
const tokenOf = (token: CreateClientOptions["token"]) =>
  Predicate.isFunction(token)
    ? Effect.map(
        Effect.promise(() => Promise.resolve().then(token)),
        (given) => Redacted.make(given)
      )
    : Redacted.make(token)

const optionNames: Readonly<Record<keyof CreateClientOptions, true>> = {
  baseUrl: true,
  token: true,
  timeoutMillis: true,
  readRetries: true,
  maxBodyBytes: true,
  allowInsecureHttp: true,
  fetch: true,
  transport: true
}

const settingsOf = (given: unknown): Settings.Settings & ConnectionOptions => {
  // A script without types can pass no options at all.
  const options: CreateClientOptions = Object(given)
  const { fetch, timeoutMillis, token, transport, ...others } = options
  const checked = Result.flatMap(Settings.checkNames(options, optionNames), () =>
    Result.mapError(
      Settings.check({
        ...others,
        ...(token === undefined ? {} : { token: tokenOf(token) }),
        ...(timeoutMillis === undefined ? {} : { timeout: Duration.millis(timeoutMillis) })
      }),
      inMillis("timeout")
    )
  )
  return { ...Result.getOrThrow(checked), fetch, transport }
}

/** Throws the failure with the stack of the caller: an effect runs on its own stack. */
// @effect-diagnostics-next-line asyncFunction:off -- only `await` leaves the caller on the stack
const settled = async <A, E>(
  call: Promise<Result.Result<A, E>>,
  rejection: (failure: E) => MessagingTopupError
): Promise<A> => {
  const result = await call
  if (Result.isSuccess(result)) return result.success
  const error = rejection(result.failure)
  Error.captureStackTrace?.(error, settled)
  throw error
}

const within =
  <A, E>(call: Effect.Effect<A, E>) =>
  ({ timeoutMillis }: CallOptions): Effect.Effect<A, E | InvalidInput> =>
    Predicate.isNullish(timeoutMillis) ? call : withCallTimeout(timeoutMillis)(call)

/**
 * `open` runs once the options are valid; closing the client closes its connections. Throws
 * `ConfigurationError`.
 */
export const createClientOn = (
  open: (options: ConnectionOptions) => Connections,
  given: unknown
): MessagingTopupClient => {
  const settings = settingsOf(given)
  const connections = open(settings)
  const service = makeService(settings, sendOverWire(connections.wire))
  const calls = makeCallTracker()
  const close = () => calls.close().then(connections.close)
  return {
    sendSms: (request, call) =>
      settled(
        calls.start(callOptions(call), within(service.sendSms(request))),
        (failure): SendSmsRejection => Object.assign(failure, { sendOutcome: sendOutcome(failure) })
      ),
    getSmsStatus: (messageId, call) =>
      settled(
        calls.start(callOptions(call), within(service.getSmsStatus(messageId))),
        identity<StatusRejection>
      ),
    getAirtimeStatus: (referenceCode, call) =>
      settled(
        calls.start(callOptions(call), within(service.getAirtimeStatus(referenceCode))),
        identity<StatusRejection>
      ),
    getDataBundleStatus: (referenceCode, call) =>
      settled(
        calls.start(callOptions(call), within(service.getDataBundleStatus(referenceCode))),
        identity<DataBundleRejection>
      ),
    listDataBundles: (call) =>
      settled(
        calls.start(listOptions(call), (options) =>
          within(service.listDataBundles(options))(options)
        ),
        identity<DataBundleRejection>
      ),
    awaitSmsStatus: (messageId, call) =>
      settled(
        calls.start(waitOptions(call), ({ intervalMillis, timeoutMillis, ...options }) =>
          calls.untilClosed(
            followStatus(service, messageId, {
              ...options,
              schedule: Schedule.spaced(intervalMillis),
              timeout: timeoutMillis
            })
          )
        ),
        identity<AwaitSmsStatusRejection>
      ),
    previewSms: (message) =>
      Predicate.isString(message)
        ? Promise.resolve(preview(message))
        : Promise.reject(new InvalidInput({ field: "message", problem: "Expected string" })),
    close,
    [Symbol.asyncDispose]: close
  }
}

/** The tags of the errors that are not documented errors of the service. */
const tags: Readonly<
  Record<Exclude<MessagingTopupError["_tag"], keyof typeof documentedErrors>, true>
> = {
  InvalidInput: true,
  TokenUnavailable: true,
  ConnectionFailed: true,
  ConnectionLost: true,
  RequestTimedOut: true,
  UndocumentedStatus: true,
  InvalidResponse: true,
  Aborted: true,
  ClientClosed: true,
  StillPending: true
}

/**
 * Returns whether a value is an error of a client: of this entry point, or of
 * `@messaging-topup/core`.
 *
 * @example
 * ```ts
 * import { createClient, isMessagingTopupError } from "@messaging-topup/core/promise"
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:1", token: "token" })
 * try {
 *   await client.sendSms({ recipient: "+15550100123", message: "Your code is 4711" })
 * } catch (error) {
 *   if (isMessagingTopupError(error)) console.log(error._tag) // ConnectionFailed
 * }
 * ```
 */
export const isMessagingTopupError = (error: unknown): error is MessagingTopupError =>
  error instanceof Error &&
  Predicate.hasProperty(error, "_tag") &&
  Predicate.isString(error._tag) &&
  (Object.hasOwn(tags, error._tag) || Object.hasOwn(documentedErrors, error._tag))

/**
 * Returns whether a value is a rejection of `sendSms`.
 *
 * @example
 * ```ts
 * import { createClient, isSendSmsRejection } from "@messaging-topup/core/promise"
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:1", token: "token" })
 * try {
 *   await client.sendSms({ recipient: "+15550100123", message: "Your code is 4711" })
 * } catch (error) {
 *   if (isSendSmsRejection(error)) console.log(error.sendOutcome) // not-sent
 * }
 * ```
 */
export const isSendSmsRejection = (error: unknown): error is SendSmsRejection =>
  isMessagingTopupError(error) && Predicate.hasProperty(error, "sendOutcome")
