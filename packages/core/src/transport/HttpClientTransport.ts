/** The HTTP transport on an Effect `HttpClient` of the program, with its middleware. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import {
  type Received,
  type SendFailure,
  type SendOptions,
  Transport,
  type WireRequest
} from "../call/Transport.ts"
import { Attempt } from "./Attempt.ts"
import { userAgent } from "./UserAgent.ts"

const toRequest = ({ body, headers, method, origin, path }: WireRequest) => {
  const request = HttpClientRequest.make(method)(origin + path).pipe(
    HttpClientRequest.setHeaders(headers)
  )
  return body === undefined
    ? request
    : HttpClientRequest.bodyText(request, body, "application/json")
}

/** The error of a response without a body. */
const isEmpty = (error: { readonly reason: { readonly _tag: string } }): boolean =>
  error.reason._tag === "EmptyBodyError"

const read = (response: HttpClientResponse.HttpClientResponse, attempt: Attempt) => {
  attempt.head(response.status, { get: (name) => response.headers[name] })
  return response.stream.pipe(
    Stream.runForEachWhile((chunk) => Effect.sync(() => attempt.data(chunk))),
    Effect.catchIf(isEmpty, () => Effect.void),
    Effect.flatMap(() => attempt.end())
  )
}

const exchange = (
  client: HttpClient.HttpClient,
  request: WireRequest,
  options: SendOptions
): Effect.Effect<Received, SendFailure> =>
  Effect.suspend(() => {
    if (!options.onStart()) return Effect.interrupt
    const attempt = new Attempt(options)
    return client.execute(toRequest(request)).pipe(
      Effect.flatMap((response) => read(response, attempt)),
      // The client may have sent, tried again, and report only its last error.
      Effect.catchCause((cause) =>
        Cause.hasInterrupts(cause) ? Effect.interrupt : attempt.fail(Cause.squash(cause), true)
      ),
      Effect.timeoutOrElse({
        duration: options.timeoutMillis,
        orElse: () => attempt.timeOut(true)
      }),
      // Its span would have the path, which contains ids, and the trace would go to a third party.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )
  })

/**
 * Sends with the `HttpClient` of the program.
 *
 * **The client must send each request at most once.** A client that resends or fails over makes a second
 * SMS, and nobody can see it from outside: leave `HttpClient.retry`, `retryTransient` and a rate limiter
 * that retries out of it. It must not follow redirects either.
 *
 * The client does not say whether a request started, so each of its failures is `"unknown"`.
 */
export const layer: Layer.Layer<Transport, never, HttpClient.HttpClient> = Layer.effect(
  Transport,
  Effect.map(HttpClient.HttpClient, (client) => ({
    headers: { "user-agent": userAgent() },
    send: (request: WireRequest, options: SendOptions) => exchange(client, request, options)
  }))
)
