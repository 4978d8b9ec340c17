/**
 * Provides a wire as an Effect `HttpClient`, so that programs can wrap it.
 *
 * The client of this package uses the wire directly if its `HttpClient` is not wrapped.
 */
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type { WireRequest } from "../call/WireRequest.ts"
import { NotStarted } from "./ConnectPhase.ts"
import { setTransport } from "./SendOverClient.ts"
import { sendOverWire } from "./SendOverWire.ts"
import { CurrentStartedRequests, type StartedRequests } from "./StartedRequests.ts"
import type { Wire, WireControl, WireHeaders } from "./Wire.ts"

const decoder = new TextDecoder()

/** Returns `undefined` for requests that a wire cannot send: other methods, streams, files. */
const toWire = (
  { body, headers, method }: HttpClientRequest.HttpClientRequest,
  { origin, pathname, search }: URL,
  ofWire: Wire["headers"]
): WireRequest | undefined => {
  if (method !== "GET" && method !== "POST") return undefined
  if (body._tag !== "Empty" && body._tag !== "Uint8Array") return undefined
  return {
    method,
    origin,
    path: pathname + search,
    headers: { ...ofWire, ...headers },
    body: body._tag === "Empty" ? undefined : decoder.decode(body.body)
  }
}

/**
 * Sets the status afterwards, because the constructor of `Response` rejects some statuses, or a
 * body with them.
 */
const responseOf = (
  status: number,
  headers: WireHeaders,
  body: ReadableStream<Uint8Array>
): Response =>
  Object.defineProperty(new Response(body, { headers: headers.all() }), "status", { value: status })

/**
 * The buffer of an unread body. A smaller body ends, and frees its connection, without a reader.
 */
const maxUnreadBytes = 64 * 1024

const exchange = (
  wire: Wire,
  request: HttpClientRequest.HttpClientRequest,
  wireRequest: WireRequest,
  signal: AbortSignal,
  requests: StartedRequests
) =>
  Effect.callback<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>(
    (resume) => {
      let body: ReadableStreamDefaultController<Uint8Array> | undefined
      let hasStarted = false
      // A wire can call its handlers before it returns its control.
      let control: WireControl | undefined = undefined
      control = wire.start(wireRequest, {
        start: () => {
          hasStarted = true
          requests.onOurWires++
          return true
        },
        head: (status, headers) => {
          const stream = new ReadableStream<Uint8Array>(
            {
              start: (controller) => {
                body = controller
              },
              pull: () => control?.resume(),
              cancel: () => control?.abort()
            },
            new ByteLengthQueuingStrategy({ highWaterMark: maxUnreadBytes })
          )
          const response = responseOf(status, headers, stream)
          resume(Effect.succeed(HttpClientResponse.fromWeb(request, response)))
        },
        data: (chunk) => {
          body?.enqueue(chunk)
          if (body?.desiredSize !== null && (body?.desiredSize ?? 1) <= 0) control?.pause()
        },
        end: () => body?.close(),
        fail: (error, started) => {
          if (body !== undefined) return body.error(error)
          if (hasStarted && !started) requests.onOurWires--
          const cause = started ? error : new NotStarted(error)
          const reason = new HttpClientError.TransportError({ request, cause })
          return resume(Effect.fail(new HttpClientError.HttpClientError({ reason })))
        }
      })
      const abort = () => control?.abort()
      // Effect aborts the signal when the response can no longer be read.
      signal.addEventListener("abort", () => {
        abort()
        body?.error(signal.reason)
      })
      return Effect.sync(abort)
    }
  )

export const make = (wire: Wire): HttpClient.HttpClient => {
  const client = HttpClient.make((request, url, signal, fiber) => {
    const requests = fiber.getRef(CurrentStartedRequests)
    requests.onOtherTransports--
    const wireRequest = toWire(request, url, wire.headers)
    if (wireRequest !== undefined) return exchange(wire, request, wireRequest, signal, requests)
    const reason = new HttpClientError.EncodeError({
      request,
      cause: new NotStarted(undefined),
      description: "This transport sends GET and POST, with a text or without a body"
    })
    return Effect.fail(new HttpClientError.HttpClientError({ reason }))
  })
  setTransport(client, sendOverWire(wire))
  return client
}
