/**
 * A wire as Effect's `HttpClient`, for programs that wrap it.
 *
 * The client of this package uses the wire itself if it is given an `HttpClient` that nothing wraps.
 */
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import { NotStarted } from "./ConnectPhase.ts"
import { CurrentDepartures, type Departures } from "./Departures.ts"
import type { Wire, WireControl, WireHeaders, WireRequest } from "./Wire.ts"

const wires = new WeakMap<HttpClient.HttpClient, Wire>()

/** The wire of a client that nothing wraps. */
export const wireOf = (client: HttpClient.HttpClient): Wire | undefined => wires.get(client)

const decoder = new TextDecoder()

/** `undefined` for what a wire does not send: other methods, streams, files. */
const toWire = (
  { body, headers, method }: HttpClientRequest.HttpClientRequest,
  { origin, pathname, search }: URL
): WireRequest | undefined => {
  if (method !== "GET" && method !== "POST") return undefined
  if (body._tag !== "Empty" && body._tag !== "Uint8Array") return undefined
  return {
    method,
    origin,
    path: pathname + search,
    headers: { ...headers },
    body: body._tag === "Empty" ? undefined : decoder.decode(body.body)
  }
}

/** The constructor of `Response` refuses some statuses, and a body for others. */
const responseOf = (
  status: number,
  headers: WireHeaders,
  body: ReadableStream<Uint8Array>
): Response =>
  Object.defineProperty(new Response(body, { headers: headers.all() }), "status", { value: status })

/** What waits to be read; a smaller body comes to its end, and frees its connection, unread. */
const maxUnreadBytes = 64 * 1024

const exchange = (
  wire: Wire,
  request: HttpClientRequest.HttpClientRequest,
  wireRequest: WireRequest,
  signal: AbortSignal,
  departures: Departures
) =>
  Effect.callback<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>(
    (resume) => {
      let body: ReadableStreamDefaultController<Uint8Array> | undefined
      let hasLeft = false
      // A wire can report before it hands over its control.
      let control: WireControl | undefined = undefined
      control = wire(wireRequest, {
        start: () => {
          hasLeft = true
          departures.onWires++
        },
        head: (status, headers) => {
          const stream = new ReadableStream<Uint8Array>(
            {
              start: (controller) => {
                body = controller
              },
              pull: () => control?.resume(),
              cancel: () => control?.giveUp()
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
          if (hasLeft && !started) departures.onWires--
          const cause = started ? error : new NotStarted(error)
          const reason = new HttpClientError.TransportError({ request, cause })
          return resume(Effect.fail(new HttpClientError.HttpClientError({ reason })))
        }
      })
      const { giveUp } = control
      // Effect aborts it when nobody can read the response any more.
      signal.addEventListener("abort", () => {
        giveUp()
        body?.error(signal.reason)
      })
      return Effect.sync(giveUp)
    }
  )

export const make = (wire: Wire): HttpClient.HttpClient => {
  const client = HttpClient.make((request, url, signal, fiber) => {
    const departures = fiber.getRef(CurrentDepartures)
    departures.elsewhere--
    const wireRequest = toWire(request, url)
    if (wireRequest !== undefined) return exchange(wire, request, wireRequest, signal, departures)
    const reason = new HttpClientError.EncodeError({
      request,
      cause: new NotStarted(undefined),
      description: "This transport sends GET and POST, with a text or without a body"
    })
    return Effect.fail(new HttpClientError.HttpClientError({ reason }))
  })
  wires.set(client, wire)
  return client
}
