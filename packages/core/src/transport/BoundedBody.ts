/**
 * Reads the body of a response of Effect's `HttpClient`, up to a maximum size.
 */
import * as Effect from "effect/Effect"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type Body, noBody } from "../call/Send.ts"
import { CollectedBytes } from "./CollectedBytes.ts"

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
        // The error of `fetch` for a response without a body.
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

/** `announcedBytes` is the Content-Length, or NaN if there is none. */
export const readBody = (
  response: HttpClientResponse.HttpClientResponse,
  announcedBytes: number,
  maxBytes: number
): Effect.Effect<Body, HttpClientError.HttpClientError> => {
  const web = Option.getOrUndefined(HttpClientResponse.toWeb(response))
  // `fetch` decompresses the body, and a browser hides the encoding. So with `fetch` the
  // Content-Length does not limit the size. Other transports return the bytes as they came.
  const isBounded = web === undefined && announcedBytes <= maxBytes
  // If a wrapper read the body, for instance to log it, only Effect's cache still has it.
  return isBounded || web?.bodyUsed === true
    ? whole(response, maxBytes)
    : collect(response.stream, maxBytes)
}
