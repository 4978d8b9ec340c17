/**
 * An attempt on an `HttpClient` that is not ours, or that a program wrapped.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Tracer from "effect/Tracer"
import { readBody } from "./BoundedBody.ts"
import { isConnectFailure, NotStarted } from "./ConnectPhase.ts"
import { CurrentDepartures, Departures } from "./Departures.ts"
import { noBody, type Received, type SendFailure, type Transport } from "./Send.ts"
import { connectionFailure, timeoutFailure, unsendable } from "./SendFailures.ts"
import type { WireRequest } from "./Wire.ts"

/**
 * What holds for every request, whatever the program around it sets.
 *
 * The transport's own span would carry ids in its URL and send trace headers to a third party, and
 * a redirect that is followed turns a POST into a GET or sends it twice.
 */
const underOurRules = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  departures: Departures
): Effect.Effect<A, E, R> =>
  Effect.updateContext(effect, (context: Context.Context<R>) =>
    context.pipe(
      Context.add(CurrentDepartures, departures),
      Context.add(HttpClient.TracerDisabledWhen, departures.carryOut),
      // With this set, a client does not ask the line above.
      Context.add(Tracer.DisablePropagation, false),
      Context.add(FetchHttpClient.RequestInit, {
        ...Context.getOrUndefined(context, FetchHttpClient.RequestInit),
        redirect: "manual"
      })
    )
  )

const toRequest = ({ body, headers, method, origin, path }: WireRequest) => {
  const request = HttpClientRequest.make(method)(origin + path, { headers })
  return body === undefined
    ? request
    : HttpClientRequest.bodyText(request, body, "application/json")
}

/** A client that was told to fail on some statuses still hands over the response. */
const received = (
  error: HttpClientError.HttpClientError
): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> =>
  error.reason._tag === "StatusCodeError"
    ? Effect.succeed(error.reason.response)
    : Effect.fail(error)

/**
 * Whether the failure says that nothing left: it is that of our own request, and no other request of
 * the attempt may have left.
 *
 * A wire of ours says of each request whether it left. Of another transport only the last failure is
 * seen, so it counts where there was one request alone.
 */
const saysNotStarted = (
  { reason }: HttpClientError.HttpClientError,
  { method, url }: HttpClientRequest.HttpClientRequest,
  { elsewhere, onWires }: Departures
): boolean => {
  if (onWires > 0 || reason.request.method !== method || reason.request.url !== url) return false
  if (reason._tag === "InvalidUrlError") return elsewhere <= 1
  if (reason._tag !== "EncodeError" && reason._tag !== "TransportError") return false
  if (reason.cause instanceof NotStarted) return elsewhere === 0
  return elsewhere === 1 && (reason._tag === "EncodeError" || isConnectFailure(reason.cause))
}

const isUnsendable = ({ reason }: HttpClientError.HttpClientError): boolean =>
  reason._tag === "EncodeError" || reason._tag === "InvalidUrlError"

const sendOver =
  (client: HttpClient.HttpClient): Transport["send"] =>
  (wireRequest, options) =>
    Effect.suspend(() => {
      const { isDocumented, maxBodyBytes, onStart, onStatus, timeoutMillis } = options
      const request = toRequest(wireRequest)
      const departures = new Departures()
      let head: Omit<Received, "body"> | undefined

      /** A documented status needs its body. */
      const endWith = (failure: SendFailure): Effect.Effect<Received, SendFailure> =>
        head === undefined || isDocumented(head.status)
          ? Effect.fail(failure)
          : Effect.succeed({ ...head, body: noBody })

      const failed = (error: HttpClientError.HttpClientError) => {
        const started = head !== undefined || !saysNotStarted(error, request, departures)
        return !started && isUnsendable(error)
          ? unsendable(options)
          : connectionFailure(error.reason.cause, started, head?.status, options)
      }

      return Effect.suspend(() => {
        onStart()
        return client.execute(request)
      }).pipe(
        Effect.catch(received),
        Effect.flatMap((response) => {
          // A getter that converts every header anew.
          const { headers, status } = response
          const current = { status, retryAfter: headers["retry-after"] }
          head = current
          onStatus(status)
          return Effect.map(
            readBody(response, Number(headers["content-length"]), maxBodyBytes),
            (body) => ({ ...current, body })
          )
        }),
        Effect.catch((error) => endWith(failed(error))),
        Effect.timeoutOrElse({
          duration: timeoutMillis,
          // A transport that is not ours does not say whether the request started.
          orElse: () => endWith(timeoutFailure(true, head?.status, options))
        }),
        (attempt) => underOurRules(attempt, departures)
      )
    })

/** A wrapper may have sent on a way that nobody sees: a send on it is not repeated. */
export const sendOverClient = (client: HttpClient.HttpClient): Transport => ({
  send: sendOver(client),
  sendRetries: 0
})
