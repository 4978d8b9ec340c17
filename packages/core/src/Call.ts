/**
 * What an endpoint as data becomes: a method that makes a call.
 *
 * A call encodes its input, or fails with `InvalidInput` (`EncodeRequest.ts`). One span is around the rest
 * (`Telemetry.ts`): one request of a transport (`Transport.ts`), and reading its response (`DecodeResponse.ts`).
 * `Retry.ts` decides whether a request that failed is followed by another.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { pathPrefix } from "./call/BaseUrl.ts"
import { type CallProgress, CallsInProgress } from "./call/CallProgress.ts"
import { responseDecoder } from "./call/DecodeResponse.ts"
import { type OperationInput, requestEncoder } from "./call/EncodeRequest.ts"
import { MayStart } from "./call/MayStart.ts"
import type { Settings } from "./call/OptionChecks.ts"
import { type FailedRequest, parseRetryAfter, retryPolicy } from "./call/Retry.ts"
import { observer } from "./call/Telemetry.ts"
import { tokenRedaction } from "./call/TokenRedaction.ts"
import {
  type RequestFailure,
  type Head,
  type Received,
  reportingSend,
  type Transport,
  type WireRequest
} from "./call/Transport.ts"
import type { ClientFailure } from "./errors/ClientFailures.ts"
import type { OperationError } from "./errors/DocumentedErrors.ts"
import { withResponse } from "./errors/Failure.ts"
import { type Endpoint, endpoints } from "./operations/Endpoints.ts"
import type { Operations } from "./operations/Model.ts"

type Methods = {
  readonly [Name in keyof Operations]: (
    ...input: Operations[Name]["input"]
  ) => Effect.Effect<Operations[Name]["success"], Operations[Name]["error"]>
}

/** The five operations of `MessagingTopup`. A test that needs no sandbox can provide its own. */
export interface MessagingTopupService extends Methods {
  /**
   * The time-out of one request, in milliseconds: a request that started that long ago has ended. A
   * program's own service may leave it out.
   */
  readonly timeoutMillis?: number
  /** Where its requests go: the name in `baseUrl`, and the port, if that is not the usual one. */
  readonly address?: string
}

/** Longer than a request takes with the time-outs of usual clients. */
const usualTimeoutMillis = 120_000

/** How long one request of a service may take. A mock has something else in the place of the number. */
export const requestMillis = ({ timeoutMillis }: MessagingTopupService): number =>
  Predicate.isNumber(timeoutMillis) ? timeoutMillis : usualTimeoutMillis

/** Makes the five operations on a transport. */
export const makeService = (
  settings: Settings,
  transport: Transport["Service"]
): MessagingTopupService => {
  const method = methodMaker(settings, transport)
  const sends = method(endpoints.sendSms)
  const smsStatus = method(endpoints.getSmsStatus)
  const airtimeStatus = method(endpoints.getAirtimeStatus)
  const dataBundleStatus = method(endpoints.getDataBundleStatus)
  const dataBundles = method(endpoints.listDataBundles)
  return {
    sendSms: (payload) => sends({ payload }),
    getSmsStatus: (message_id) => smsStatus({ params: { message_id } }),
    getAirtimeStatus: (referencecode) => airtimeStatus({ params: { referencecode } }),
    getDataBundleStatus: (referencecode) => dataBundleStatus({ params: { referencecode } }),
    listDataBundles: (options) => dataBundles({ query: options?.query ?? {} }),
    timeoutMillis: settings.timeout,
    address: settings.baseUrl.host
  }
}

type Output<E extends Endpoint> = E["success"]["schema"]["Type"]

/** The documented errors of the endpoint, and the errors that all operations share. */
type Errors<E extends Endpoint> = InstanceType<E["errors"][number]> | ClientFailure

type CallOf<E extends Endpoint> = (input: OperationInput) => Effect.Effect<Output<E>, Errors<E>>

const methodMaker = (
  { baseUrl, maxBodyBytes, readRetries, timeout: timeoutMillis, token }: Settings,
  transport: Transport["Service"]
) => {
  const send = reportingSend(transport)
  const { origin } = baseUrl
  const prefix = pathPrefix(baseUrl)
  const secret = Redacted.value(token)
  const redaction = tokenRedaction(secret)
  const headers = {
    ...transport.headers,
    authorization: `Bearer ${secret}`,
    accept: "application/json"
  }
  const bodyHeaders = { ...headers, "content-type": "application/json" }

  return <E extends Endpoint>(endpoint: E): CallOf<E> => {
    const { method, name: operation } = endpoint
    const encode = requestEncoder(endpoint)
    const { decodeResponse, needsRest } = responseDecoder(endpoint, maxBodyBytes, redaction)
    const observe = observer(endpoint, baseUrl)
    const retrying = retryPolicy(method === "GET", readRetries)
    const limits = { operation, timeoutMillis, maxBodyBytes, needsRest }

    /** Encodes at the call: a program may change its input before the effect runs, or runs again. */
    const call = (input: OperationInput): Effect.Effect<object, OperationError> => {
      const encoded = encode(input)
      return Effect.withFiber((fiber) => {
        const progress: CallProgress = { requests: 0, started: false, head: undefined }
        fiber.getRef(CallsInProgress)?.push(progress)
        if (Result.isFailure(encoded)) return observe(fiber, progress, Effect.fail(encoded.failure))
        const { body, path } = encoded.success
        const request = {
          method,
          origin,
          path: prefix + path,
          headers: body === undefined ? headers : bodyHeaders,
          body
        }
        return observe(fiber, progress, retrying(requesting(request, progress, fiber)))
      })
    }

    /** Each run is one more request. */
    const requesting = (
      request: WireRequest,
      progress: CallProgress,
      fiber: Fiber.Fiber<unknown, unknown>
    ): Effect.Effect<object, FailedRequest> => {
      const mayStart = fiber.getRef(MayStart)
      const options = {
        ...limits,
        onStart: () => {
          if (!mayStart()) return false
          progress.started = true
          return true
        },
        onHead: (head: Head) => {
          progress.head = head
        }
      }
      const handlers = {
        onSuccess: (received: Received) => {
          progress.head = received
          const wait = received.headers.get("retry-after") ?? ""
          return read(received, parseRetryAfter(wait, fiber.getRef(Clock.Clock)))
        },
        onFailure: (error: RequestFailure) => failed(error, progress.head)
      }
      return Effect.suspend(() => {
        progress.requests++
        progress.head = undefined
        return Effect.matchEffect(send(request, options), handlers)
      })
    }

    const read = (received: Received, retryAfterSeconds: number | undefined) => {
      const result = decodeResponse(received, retryAfterSeconds)
      return Result.isSuccess(result)
        ? Effect.succeed(result.success)
        : failed(result.failure, received, retryAfterSeconds)
    }

    /** The headers go with the error, because who asks support needs the id of the request. */
    const failed = (error: OperationError, head: Head | undefined, retryAfterSeconds?: number) => {
      if (head !== undefined) {
        const given = Array.from(head.headers, ([name, value]) => [name, redaction.redact(value)])
        withResponse(error, Object.fromEntries(given))
      }
      return Effect.fail<FailedRequest>({ error, retryAfterSeconds })
    }

    // The decoder uses the schemas of the endpoint, so its results have these types.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return call as CallOf<E>
  }
}
