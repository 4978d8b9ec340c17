/** The HTTP transport on an Effect `HttpClient` of the program, which must not resend, fail over or follow redirects. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { RequestInit } from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import {
  type Received,
  type AttemptFailure,
  type AttemptOptions,
  Transport,
  type WireRequest
} from "../call/Transport.ts"
import { Attempt, userAgent } from "./Attempt.ts"

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
  const { headers, status } = response
  attempt.head(status, new Map(Object.entries(headers)))
  return response.stream.pipe(
    Stream.runForEachWhile((chunk) => Effect.sync(() => attempt.data(chunk))),
    Effect.catchIf(isEmpty, () => Effect.void),
    Effect.flatMap(() => attempt.end())
  )
}

/**
 * Following a redirect turns a POST into a GET, or sends it twice. This runs in the context in which the client
 * sends, because a `RequestInit` from outside would hide the one with which the client was made. The context
 * of `attemptOn` comes back at its end.
 */
const withoutRedirects = HttpClient.mapRequestEffect((request) =>
  Effect.withFiber((fiber) => {
    const own = Context.getOrUndefined(fiber.context, RequestInit)
    fiber.setContext(Context.add(fiber.context, RequestInit, { redirect: "manual", ...own }))
    return Effect.succeed(request)
  })
)

/** After a process stood still, its timers run before it reads what has arrived: two turns read it. */
const timeOut = (attempt: Attempt, { timeoutMillis }: AttemptOptions) =>
  Effect.sleep(timeoutMillis).pipe(
    Effect.andThen(Effect.yieldNow),
    Effect.andThen(Effect.yieldNow),
    Effect.flatMap(() => attempt.timeOut(true))
  )

const attemptOn = (
  client: HttpClient.HttpClient,
  request: WireRequest,
  options: AttemptOptions
): Effect.Effect<Received, AttemptFailure> =>
  Effect.suspend(() => {
    const attempt = new Attempt(options)
    return client.execute(toRequest(request)).pipe(
      // The response of a client that fails for a status, as `HttpClient.filterStatusOk` makes it.
      Effect.catchIf(HttpClientError.isHttpClientError, (error) =>
        error.reason._tag === "StatusCodeError"
          ? Effect.succeed(error.reason.response)
          : Effect.fail(error)
      ),
      Effect.flatMap((response) => read(response, attempt)),
      // The client may have sent, tried again, and report only its last error.
      Effect.catchCause((cause) =>
        Cause.hasInterrupts(cause) ? Effect.interrupt : attempt.fail(Cause.squash(cause), true)
      ),
      Effect.raceFirst(timeOut(attempt, options)),
      // Its span would have the path, which contains ids, and the trace would go to a third party.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )
  })

/**
 * Sends with the `HttpClient` of the program.
 *
 * **The client must send each request at most once.** A client that resends or fails over makes a second
 * SMS, and nobody can see it from outside: leave `HttpClient.retry`, `retryTransient` and a rate limiter
 * that retries out of it. It must not follow redirects either: Effect's client over `fetch` does not, unless
 * its `RequestInit` says so.
 *
 * The client does not say whether a request started, so each of its failures is `"unknown"`.
 */
export const layer: Layer.Layer<Transport, never, HttpClient.HttpClient> = Layer.effect(
  Transport,
  Effect.map(HttpClient.HttpClient, (given) => {
    const client = withoutRedirects(given)
    return {
      headers: { "user-agent": userAgent() },
      reportsStart: false,
      send: (request: WireRequest, options: AttemptOptions) => attemptOn(client, request, options)
    }
  })
)
