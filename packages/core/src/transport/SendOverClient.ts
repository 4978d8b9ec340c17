/**
 * Makes one attempt on an `HttpClient` that is not ours, or that a program wrapped.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Tracer from "effect/Tracer"
import type { Head, SendFailure, Transport } from "../call/Send.ts"
import type { WireRequest } from "../call/WireRequest.ts"
import { readBody } from "./BoundedBody.ts"
import { NotStarted } from "./ConnectPhase.ts"
import { connectionFailure, timeoutFailure, unsendable, withoutBody } from "./SendFailures.ts"
import { CurrentStartedRequests, StartedRequests } from "./StartedRequests.ts"

/**
 * Turns off the transport's own span and redirects, even if the program turns them on.
 *
 * The span would have ids in its URL, and the transport would send trace headers to a third party.
 * Following a redirect turns a POST into a GET, or sends it twice.
 */
const withRequestRules = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  requests: StartedRequests
): Effect.Effect<A, E, R> =>
  Effect.updateContext(effect, (context: Context.Context<R>) =>
    context.pipe(
      Context.add(CurrentStartedRequests, requests),
      Context.add(HttpClient.TracerDisabledWhen, requests.count),
      // If this is true, a client does not call `requests.count`.
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

/** A client that fails on some statuses still has the response in its error. */
const received = (
  error: HttpClientError.HttpClientError
): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> =>
  error.reason._tag === "StatusCodeError"
    ? Effect.succeed(error.reason.response)
    : Effect.fail(error)

/**
 * Returns whether the failure proves that no request started: it is the failure of our own request,
 * and no other request of the attempt may have started.
 *
 * Our own wires report for each request whether it started. Another transport may have sent twice, and
 * shows only its last failure, so only a request that it could not build counts.
 */
const saysNotStarted = (
  { reason }: HttpClientError.HttpClientError,
  { method, url }: HttpClientRequest.HttpClientRequest,
  { onOtherTransports, onOurWires }: StartedRequests
): boolean => {
  if (onOurWires > 0 || reason.request.method !== method || reason.request.url !== url) return false
  if (reason._tag === "InvalidUrlError") return onOtherTransports <= 1
  if (reason._tag !== "EncodeError" && reason._tag !== "TransportError") return false
  if (reason.cause instanceof NotStarted) return onOtherTransports === 0
  return onOtherTransports === 1 && reason._tag === "EncodeError"
}

const isUnsendable = ({ reason }: HttpClientError.HttpClientError): boolean =>
  reason._tag === "EncodeError" || reason._tag === "InvalidUrlError"

const sendOver =
  (client: HttpClient.HttpClient): Transport["send"] =>
  (wireRequest, options) =>
    Effect.suspend(() => {
      const { maxBodyBytes, onStart, onStatus, timeoutMillis } = options
      const request = toRequest(wireRequest)
      const requests = new StartedRequests()
      let head: Head | undefined

      const endWith = (failure: SendFailure) => withoutBody(failure, head, options)

      const failed = (error: HttpClientError.HttpClientError) => {
        const started = head !== undefined || !saysNotStarted(error, request, requests)
        return !started && isUnsendable(error)
          ? unsendable(options)
          : connectionFailure(error.reason.cause, started, head, options)
      }

      return Effect.suspend(() => (onStart() ? client.execute(request) : Effect.interrupt)).pipe(
        Effect.catch(received),
        Effect.flatMap((response) => {
          // `headers` is a getter that converts every header on each access.
          const { headers, status } = response
          const current = { status, headers: { get: (name: string) => headers[name] } }
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
          // A transport that is not ours does not report whether the request started.
          orElse: () => endWith(timeoutFailure(true, head, options))
        }),
        (attempt) => withRequestRules(attempt, requests)
      )
    })

/** A wrapper may have sent in a way that cannot be detected, so a send is not retried. */
const sendOverClient = (client: HttpClient.HttpClient): Transport => ({
  send: sendOver(client),
  headers: {},
  sendRetries: 0,
  runsProgram: true
})

const ownTransports = new WeakMap<HttpClient.HttpClient, Transport>()

/**
 * Sets the transport of a client that is ours. It is set here, where no wire is imported, so that a
 * program with another client bundles none.
 */
export const setTransport = (client: HttpClient.HttpClient, transport: Transport): void => {
  ownTransports.set(client, transport)
}

/** A client that a program wrapped is another client. */
export const transportOf = (client: HttpClient.HttpClient): Transport =>
  ownTransports.get(client) ?? sendOverClient(client)
