/** Turns the data of an endpoint into a method that calls it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { OperationError } from "../errors/DocumentedErrors.ts"
import type { ClientFailure } from "../errors/ClientFailures.ts"
import type { Endpoint } from "../operations/Endpoint.ts"
import { type CallRecord, CallRecords, OnRequestStart } from "./CallRecord.ts"
import { responseDecoder } from "./DecodeResponse.ts"
import { type OperationInput, requestEncoder } from "./EncodeRequest.ts"
import type { Settings } from "./Options.ts"
import { type Failure, parseRetryAfter, retryPolicy } from "./Retry.ts"
import { observer } from "./Telemetry.ts"
import { tokenRedaction } from "./TokenRedaction.ts"
import type { Received, SendFailure, Transport, WireRequest } from "./Transport.ts"

type Output<E extends Endpoint> = E["success"]["schema"]["Type"]

/** The documented errors of the endpoint, and the errors that all operations share. */
type Errors<E extends Endpoint> = InstanceType<E["errors"][number]> | ClientFailure

type Method<E extends Endpoint> = (input: OperationInput) => Effect.Effect<Output<E>, Errors<E>>

const onFailure = (error: SendFailure): Effect.Effect<never, Failure> => Effect.fail({ error })

export const interpreter = (
  { baseUrl, maxBodyBytes, readRetries, timeout: timeoutMillis, token }: Settings,
  { headers: ofTransport, reportsStart, send }: Transport["Service"]
) => {
  const { origin } = baseUrl
  const prefix = baseUrl.pathname.replace(/\/+$/, "")
  const secret = Redacted.value(token)
  const redaction = tokenRedaction(secret)
  const headers = { ...ofTransport, authorization: `Bearer ${secret}`, accept: "application/json" }
  const bodyHeaders = { ...headers, "content-type": "application/json" }

  return <E extends Endpoint>(endpoint: E): Method<E> => {
    const { method, name: operation } = endpoint
    const encode = requestEncoder(endpoint)
    const { decodeResponse, needsRest } = responseDecoder(endpoint, maxBodyBytes, redaction)
    const observe = observer(endpoint, baseUrl)
    const retrying = retryPolicy(method === "GET", readRetries)
    const limits = { operation, timeoutMillis, maxBodyBytes, needsRest }

    const read = (received: Received, retryAfterSeconds?: number) => {
      const decoded = decodeResponse(received, retryAfterSeconds)
      return Result.isSuccess(decoded)
        ? Effect.succeed(decoded.success)
        : Effect.fail({ error: decoded.failure, retryAfterSeconds })
    }

    const onSuccess = (received: Received): Effect.Effect<object, Failure> => {
      const retryAfter = received.headers.get("retry-after")
      return retryAfter === undefined
        ? read(received)
        : Effect.flatMap(Clock.currentTimeMillis, (now) =>
            read(received, parseRetryAfter(retryAfter, now))
          )
    }

    const attempt = (
      request: WireRequest,
      record: CallRecord,
      mayStart: () => boolean
    ): Effect.Effect<object, Failure> => {
      const onStart = () => {
        if (!mayStart()) return false
        record.started = true
        return true
      }
      const options = {
        ...limits,
        onStart,
        onStatus: (status: number) => {
          record.status = status
        }
      }
      return Effect.suspend(() => {
        record.attempts++
        record.status = undefined
        if (reportsStart !== true && !onStart()) return Effect.interrupt
        return Effect.matchEffect(send(request, options), { onSuccess, onFailure })
      })
    }

    const call = (input: OperationInput): Effect.Effect<object, OperationError> =>
      Effect.withFiber((fiber) => {
        const record: CallRecord = { attempts: 0, started: false, status: undefined }
        fiber.getRef(CallRecords)?.push(record)
        const encoded = encode(input)
        if (Result.isFailure(encoded)) return observe(fiber, record, Effect.fail(encoded.failure))
        const { body, path } = encoded.success
        const request = {
          method,
          origin,
          path: prefix + path,
          headers: body === undefined ? headers : bodyHeaders,
          body
        }
        const mayStart = fiber.getRef(OnRequestStart)
        return observe(fiber, record, retrying(attempt(request, record, mayStart)))
      })

    // The decoder uses the schemas of the endpoint, so its results have these types.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return call as Method<E>
  }
}
