/**
 * Turns the data of an endpoint into a method that calls it.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type ClientFailure, ConnectionLost } from "../errors/ClientFailures.ts"
import type { Endpoint, OperationError } from "../operations/Endpoint.ts"
import { credentials, nameOf } from "./Credential.ts"
import { type Keeper, responseDecoder } from "./DecodeResponse.ts"
import { type OperationInput, requestEncoder } from "./EncodeRequest.ts"
import { type Failure, parseRetryAfter, retryPolicy } from "./Retry.ts"
import {
  OnRequestStart,
  OnResponseStart,
  RemainingMillis,
  type Received,
  type SendFailure,
  type Transport
} from "./Send.ts"
import type { WireRequest } from "./WireRequest.ts"
import type { Settings } from "./Settings.ts"
import { type AttemptSpan, observer } from "./Telemetry.ts"

type Output<E extends Endpoint> = E["success"]["schema"]["Type"]

/** The documented errors of the endpoint, and the errors that all operations share. */
type Errors<E extends Endpoint> = InstanceType<E["errors"][number]> | ClientFailure

type Method<E extends Endpoint> = (input: OperationInput) => Effect.Effect<Output<E>, Errors<E>>

const failed = (cause: Cause.Cause<SendFailure>): Effect.Effect<never, Failure> =>
  Effect.failCause(Cause.map(cause, (error) => ({ error })))

export const interpreter = (
  settings: Settings,
  { headers: ofTransport, runsProgram, send, sendRetries }: Transport
) => {
  const { baseUrl, maxBodyBytes, readRetries, timeoutMillis } = settings
  const withCredential = credentials(settings, ofTransport)
  const { origin } = baseUrl
  const prefix = baseUrl.pathname.replace(/\/+$/, "")

  return <E extends Endpoint>(endpoint: E): Method<E> => {
    const { method, name } = endpoint
    const encode = requestEncoder(endpoint)
    const { decodeResponse, isDocumented } = responseDecoder(endpoint)
    const observe = observer(endpoint, baseUrl, runsProgram)
    const isRead = method === "GET"
    const retrying = retryPolicy(isRead, isRead ? readRetries : sendRetries)
    const limits = { operation: name, maxBodyBytes, isDocumented }

    const read = (
      received: Received,
      retryAfterSeconds: number | undefined,
      keeper: Keeper
    ): Effect.Effect<object, Failure> => {
      const decoded = decodeResponse(received, retryAfterSeconds, keeper)
      return Result.isSuccess(decoded)
        ? Effect.succeed(decoded.success)
        : Effect.fail({ error: decoded.failure, retryAfterSeconds })
    }

    const readNow = (received: Received, keeper: Keeper): Effect.Effect<object, Failure> => {
      const retryAfter = received.headers.get("retry-after")
      return retryAfter === undefined
        ? read(received, undefined, keeper)
        : Effect.flatMap(Clock.currentTimeMillis, (now) =>
            read(received, parseRetryAfter(retryAfter, now), keeper)
          )
    }

    /** The request may have started before the defect, and a retry would repeat the defect. */
    const onDefect = (defect: unknown, status: number | undefined): Effect.Effect<never, Failure> =>
      Effect.fail({
        error: new ConnectionLost({
          defect: nameOf(defect),
          ...(status === undefined ? {} : { status }),
          operation: name
        }),
        isDefect: true
      })

    const attempt =
      (request: WireRequest, keeper: Keeper) =>
      (span: AttemptSpan): Effect.Effect<object, Failure> =>
        Effect.catchDefect(
          Effect.withFiber((fiber) => {
            const mayStart = fiber.getRef(OnRequestStart)
            const onResponseStart = fiber.getRef(OnResponseStart)
            const remaining = fiber.getRef(RemainingMillis)
            const options = {
              ...limits,
              timeoutMillis: Math.min(timeoutMillis, Math.max(1, remaining())),
              requestIdIn: keeper.requestIdIn,
              onStart: () => mayStart() && span.onStart(),
              onStatus: (status: number) => {
                onResponseStart(status)
                span.onStatus(status)
              }
            }
            return Effect.matchCauseEffect(send(request, options), {
              onSuccess: (received) => readNow(received, keeper),
              onFailure: failed
            })
          }),
          (defect) => onDefect(defect, span.status())
        )

    const call = (input: OperationInput): Effect.Effect<object, OperationError> =>
      observe((observeAttempt) => {
        const encoded = encode(input)
        if (Result.isFailure(encoded)) return Effect.fail(encoded.failure)
        const { body, path } = encoded.success
        return withCredential(name, ({ bodyHeaders, headers, keeper }) => {
          const request = {
            method,
            origin,
            path: prefix + path,
            headers: body === undefined ? headers : bodyHeaders,
            body
          }
          return retrying(observeAttempt(attempt(request, keeper)))
        })
      })

    // The decoder uses the schemas of the endpoint, so its results have these types.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return call as Method<E>
  }
}
