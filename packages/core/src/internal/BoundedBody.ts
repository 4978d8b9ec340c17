/**
 * Reads the body of a response of Effect's `HttpClient`, up to a bound.
 */
import * as Effect from "effect/Effect"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type Body, noBody } from "./Send.ts"
import { CollectedBytes } from "./Bytes.ts"

const collect = (
  stream: Stream.Stream<Uint8Array, HttpClientError.HttpClientError>,
  maxBytes: number
): Effect.Effect<Body, HttpClientError.HttpClientError> =>
  Effect.suspend(() => {
    const bytes = new CollectedBytes()
    return stream.pipe(
      Stream.runForEachWhile((chunk) =>
        Effect.sync(() => {
          bytes.add(chunk)
          return bytes.length <= maxBytes
        })
      ),
      Effect.map(() => ({
        bytes: bytes.first(maxBytes),
        truncated: bytes.length > maxBytes
      })),
      Effect.catch((error) =>
        // What fetch says of a response without a body.
        error.reason._tag === "EmptyBodyError" ? Effect.succeed(noBody) : Effect.fail(error)
      )
    )
  })

const whole = (
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number
): Effect.Effect<Body, HttpClientError.HttpClientError> =>
  Effect.map(response.arrayBuffer, (buffer) => ({
    bytes: new Uint8Array(buffer, 0, Math.min(buffer.byteLength, maxBytes)),
    truncated: buffer.byteLength > maxBytes
  }))

/** `announcedBytes` is NaN where the response announces no length. */
export const readBody = (
  response: HttpClientResponse.HttpClientResponse,
  announcedBytes: number,
  maxBytes: number
): Effect.Effect<Body, HttpClientError.HttpClientError> => {
  const web = Option.getOrUndefined(HttpClientResponse.toWeb(response))
  // fetch decompresses, and a browser hides the encoding: there the announced length bounds
  // nothing. Other transports hand over the bytes as they came.
  const isBounded = web === undefined && announcedBytes <= maxBytes
  // A wrapper that read the body, to log it say, left it in Effect's cache alone.
  return isBounded || web?.bodyUsed === true
    ? whole(response, maxBytes)
    : collect(response.stream, maxBytes)
}
