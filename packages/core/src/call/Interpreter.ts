/**
 * Turns the data of an endpoint into a method that calls it.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { type ClientFailure, ConnectionLost } from "../errors/ClientFailures.ts"
import type { Endpoint, OperationError } from "../operations/Endpoint.ts"
import { responseDecoder } from "./DecodeResponse.ts"
import { type OperationInput, requestEncoder } from "./EncodeRequest.ts"
import { type Failure, parseRetryAfter, retryPolicy } from "./Retry.ts"
import { OnRequestStart, type Received, type SendFailure, type Transport } from "./Send.ts"
import type { WireRequest } from "./WireRequest.ts"
import type { Settings } from "./Settings.ts"
import { type AttemptSpan, observer } from "./Telemetry.ts"
import { tokenRedaction } from "./TokenRedaction.ts"

type Output<E extends Endpoint> = E["success"]["schema"]["Type"]

/** The documented errors of the endpoint, and the errors that all operations share. */
type Errors<E extends Endpoint> = InstanceType<E["errors"][number]> | ClientFailure

const failed = (error: SendFailure): Failure => ({ error })

/** A defect can contain the token, so an error has only its kind. */
const kindOf = (defect: unknown): string =>
  defect instanceof Error && /^[A-Za-z]\w{0,63}$/.test(defect.name) ? defect.name : typeof defect

export const interpreter = (
  settings: Settings,
  { headers: ofTransport, runsProgram, send, sendRetries }: Transport
) => {
  const { baseUrl, maxBodyBytes, readRetries, timeout, token } = settings
  const secret = Redacted.value(token)
  const redaction = tokenRedaction(secret)
  const { origin } = baseUrl
  const prefix = baseUrl.pathname.replace(/\/+$/, "")
  const headers = {
    ...ofTransport,
    authorization: `Bearer ${secret}`,
    accept: "application/json"
  }
  const bodyHeaders = { ...headers, "content-type": "application/json" }
  const timeoutMillis = Duration.toMillis(timeout)

  return <E extends Endpoint>(
    endpoint: E
  ): ((input: OperationInput) => Effect.Effect<Output<E>, Errors<E>>) => {
    const { method, name } = endpoint
    const encode = requestEncoder(endpoint)
    const { decodeResponse, isDocumented } = responseDecoder(endpoint, redaction)
    const observe = observer(endpoint, baseUrl, runsProgram)
    const isRead = method === "GET"
    const retrying = retryPolicy(isRead, isRead ? readRetries : sendRetries)
    const limits = { operation: name, timeoutMillis, maxBodyBytes, isDocumented }

    const read = (received: Received, now: number): Effect.Effect<object, Failure> => {
      const retryAfterSeconds = parseRetryAfter(received.retryAfter, now)
      const decoded = decodeResponse(received, retryAfterSeconds)
      return Result.isSuccess(decoded)
        ? Effect.succeed(decoded.success)
        : Effect.fail({ error: decoded.failure, retryAfterSeconds })
    }

    const ends = {
      onSuccess: (received: Received): Effect.Effect<object, Failure> =>
        received.retryAfter === undefined
          ? read(received, 0)
          : Effect.flatMap(Clock.currentTimeMillis, (now) => read(received, now)),
      onFailure: (cause: Cause.Cause<SendFailure>): Effect.Effect<never, Failure> =>
        Effect.failCause(Cause.map(cause, failed))
    }

    /** The request may have started before the defect, and a retry would repeat the defect. */
    const onDefect = (defect: unknown, status: number | undefined): Effect.Effect<never, Failure> =>
      Effect.fail({
        error: new ConnectionLost({
          defect: kindOf(defect),
          ...(status === undefined ? {} : { status }),
          operation: name
        }),
        isDefect: true
      })

    const attempt =
      (request: WireRequest) =>
      (span: AttemptSpan): Effect.Effect<object, Failure> =>
        Effect.catchDefect(
          Effect.withFiber((fiber) => {
            const mayStart = fiber.getRef(OnRequestStart)
            const options = {
              ...limits,
              onStart: () => mayStart() && span.onStart(),
              onStatus: span.onStatus
            }
            return Effect.matchCauseEffect(send(request, options), ends)
          }),
          (defect) => onDefect(defect, span.status())
        )

    const call = (input: OperationInput): Effect.Effect<object, OperationError> =>
      observe((observeAttempt) => {
        const encoded = encode(input)
        if (Result.isFailure(encoded)) return Effect.fail(encoded.failure)
        const { body, path } = encoded.success
        const request = {
          method,
          origin,
          path: prefix + path,
          headers: body === undefined ? headers : bodyHeaders,
          body
        }
        return retrying(observeAttempt(attempt(request)))
      })

    // The decoder uses the schemas of the endpoint, so its results have these types.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return call as (input: OperationInput) => Effect.Effect<Output<E>, Errors<E>>
  }
}
