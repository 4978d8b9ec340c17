/**
 * Applies a fault to a response.
 *
 * The transports write the resulting `Response`. They reset the connection if the effect or the
 * body fails, and send nothing for as long as the effect or the body produces nothing.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Fault } from "./Fault.ts"
import { bodyTerminated } from "./FetchFailure.ts"

export class ConnectionReset extends Data.TaggedError("ConnectionReset") {}

type FaultyResponse = Effect.Effect<Response, ConnectionReset>

const reset: FaultyResponse = Effect.fail(new ConnectionReset())

const rebuilt = (
  response: Response,
  body: string | ReadableStream<Uint8Array>,
  headers: Readonly<Record<string, string>> = {}
): Response => {
  const all = new Headers(response.headers)
  all.delete("content-length")
  for (const [name, value] of Object.entries(headers)) all.set(name, value)
  return new Response(body, { status: response.status, headers: all })
}

const streamed = <E>(
  response: Response,
  body: Stream.Stream<Uint8Array<ArrayBuffer>, E>,
  headers?: Readonly<Record<string, string>>
) => Effect.map(Stream.toReadableStreamEffect(body), (stream) => rebuilt(response, stream, headers))

const textOf = (response: Response) => Effect.promise(() => response.text())

const encode = (text: string) => new TextEncoder().encode(text)

const complete = (
  response: Response,
  text: string,
  headers?: Readonly<Record<string, string>>
): Response =>
  rebuilt(response, text, { "content-length": String(encode(text).length), ...headers })

const cutOff = Effect.fnUntraced(function* (response: Response) {
  const bytes = encode(yield* textOf(response))
  const half = bytes.slice(0, Math.ceil(bytes.length / 2))
  return yield* streamed(
    response,
    Stream.concat(Stream.make(half), Stream.fail(bodyTerminated())),
    {
      "content-length": String(bytes.length)
    }
  )
})

const endless = (response: Response) =>
  streamed(
    response,
    Stream.concat(
      Stream.make(encode('{"padding":"')),
      Stream.map(Stream.tick("20 millis"), () => encode("x".repeat(1024)))
    )
  )

const paddingChunk = encode("x".repeat(64 * 1024))

const oversized = Effect.fnUntraced(function* (response: Response, bytes: number) {
  const text = yield* textOf(response)
  const before = encode('{"padding":"')
  const after = encode(`",${text.slice(1)}`)
  const padding = bytes - before.length - after.length
  if (!text.startsWith("{") || padding < 0) return complete(response, text)
  const body = Stream.make(before).pipe(
    Stream.concat(
      Stream.fromIterable(
        (function* () {
          for (let left = padding; left > 0; left -= paddingChunk.length) {
            yield paddingChunk.subarray(0, left)
          }
        })(),
        // By default, the stream makes thousands of chunks at once, even if the client reads
        // slowly.
        { chunkSize: 1 }
      )
    ),
    Stream.concat(Stream.make(after))
  )
  return yield* streamed(response, body, { "content-length": String(bytes) })
})

/**
 * Applies a fault. `accept` handles the request, and makes the correct response: a fault before
 * acceptance does not run it.
 */
export const underFault = (fault: Fault, accept: Effect.Effect<Response>): FaultyResponse => {
  const changed = (change: (text: string, response: Response) => Response) =>
    Effect.flatMap(accept, (response) =>
      Effect.map(textOf(response), (text) => change(text, response))
    )
  switch (fault.fault) {
    case "Response": {
      const { body = "", headers, status } = fault
      return Effect.sync(
        () =>
          // Some statuses do not allow a body, not even an empty one.
          new Response(body === "" ? null : body, {
            status,
            headers: { "content-type": "application/json", ...headers }
          })
      )
    }
    case "Redirect":
      return Effect.sync(
        () => new Response(null, { status: fault.status, headers: { location: fault.location } })
      )
    case "ResetBeforeAcceptance":
    // The listener is closed, but a request can still arrive on a connection that was in use.
    case "ConnectionRefused":
      return reset
    case "NoResponse":
      return fault.accept === true ? Effect.andThen(accept, Effect.never) : Effect.never
    case "ResetAfterAcceptance":
      return Effect.andThen(accept, reset)
    case "HeadersThenSilence":
      return Effect.flatMap(accept, (response) => streamed(response, Stream.never))
    case "EndlessBody":
      return Effect.flatMap(accept, endless)
    case "WrongContentType":
      return changed((text, response) => complete(response, text, { "content-type": "text/html" }))
    case "TruncatedJson":
      return changed((text, response) =>
        complete(response, text.slice(0, Math.floor(text.length / 2)))
      )
    case "OversizedBody":
      return Effect.flatMap(accept, (response) => oversized(response, fault.bytes))
    case "BodyCutOff":
      return Effect.flatMap(accept, cutOff)
  }
}
