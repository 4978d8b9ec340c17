/** The HTTP transport on an Effect `HttpClient` of the program, which must not resend, fail over or follow redirects. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import { RequestInit } from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Transport, type WireRequest } from "../call/Transport.ts"
import { transportOver } from "./TimedRequest.ts"
import { bytesOf, textsOf, userAgent, type Wire, type WireHandlers } from "./Wire.ts"

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

const read = (response: HttpClientResponse.HttpClientResponse, handlers: WireHandlers) => {
  handlers.head(response.status, () => textsOf(Object.entries(response.headers)))
  return response.stream.pipe(
    Stream.runForEach((chunk) => Effect.sync(() => handlers.data(bytesOf(chunk)))),
    Effect.catchIf(isEmpty, () => Effect.void)
  )
}

/**
 * Following a redirect turns a POST into a GET, or sends it twice. This runs in the context in which the client
 * sends, because a `RequestInit` from outside would hide the one with which the client was made.
 */
const withoutRedirects = HttpClient.mapRequestEffect((request) =>
  Effect.withFiber((fiber) => {
    const own = Context.getOrUndefined(fiber.context, RequestInit)
    fiber.setContext(Context.add(fiber.context, RequestInit, { redirect: "manual", ...own }))
    return Effect.succeed(request)
  })
)

const send = (
  client: HttpClient.HttpClient,
  request: WireRequest,
  handlers: WireHandlers
): Effect.Effect<void, unknown> =>
  Effect.suspend(() => client.execute(toRequest(request))).pipe(
    // The response of a client that fails for a status, as `HttpClient.filterStatusOk` makes it.
    Effect.catchIf(HttpClientError.isHttpClientError, (error) =>
      error.reason._tag === "StatusCodeError"
        ? Effect.succeed(error.reason.response)
        : Effect.fail(error)
    ),
    Effect.flatMap((response) => read(response, handlers)),
    // Its span would have the path, which contains ids, and the trace would go to a third party.
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
  )

const wireOver = (client: HttpClient.HttpClient, running: FiberSet.FiberSet<void>): Wire => ({
  headers: { "user-agent": userAgent() },
  start: (request, handlers, context) => {
    if (running.state._tag === "Closed" || !handlers.start()) {
      handlers.fail({ code: "TRANSPORT_CLOSED" }, false)
      return { hasStarted: () => false, abort: () => {} }
    }
    let isAborted = false
    const fiber = Effect.runForkWith(context)(send(client, request, handlers))
    FiberSet.addUnsafe(running, fiber)
    fiber.addObserver((exit) => {
      if (isAborted) return
      if (Exit.isSuccess(exit)) handlers.end()
      // The client may have sent, tried again, and report only its last error, or that it interrupted itself.
      else handlers.fail(Cause.squash(exit.cause), true)
    })
    return {
      hasStarted: () => true,
      abort: () => {
        isAborted = true
        fiber.interruptUnsafe()
      },
      ended: Effect.asVoid(Fiber.await(fiber))
    }
  }
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
 *
 * The interruption of a call waits until the client has ended, with its finalizers. A time-out does not, because the
 * client may not end: what it left ends with the layer.
 */
export const layer: Layer.Layer<Transport, never, HttpClient.HttpClient> = Layer.effect(
  Transport,
  Effect.gen(function* () {
    const client = withoutRedirects(yield* HttpClient.HttpClient)
    return transportOver(wireOver(client, yield* FiberSet.make<void>()))
  })
)
