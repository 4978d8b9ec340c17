/**
 * Applies a fault to a response.
 *
 * The transports write the resulting `Response`. They reset the connection if the effect or the
 * body fails, and send nothing for as long as the effect or the body produces nothing.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ConnectionReset } from "../http/Outgoing.ts"
import type { Fault } from "../Types.ts"

const reset = Effect.fail(new ConnectionReset())

/** The first half of the correct body. `announced` is its content length. */
const halved = Effect.fnUntraced(function* (response: Response) {
  const bytes = new Uint8Array(yield* Effect.promise(() => response.arrayBuffer()))
  return { half: bytes.slice(0, Math.ceil(bytes.length / 2)), announced: bytes.length }
})

const rebuilt = (
  { headers, status }: Response,
  body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>,
  announced: number | undefined
): Response => {
  const all = new Headers(headers)
  all.delete("content-length")
  if (announced !== undefined) all.set("content-length", String(announced))
  return new Response(body, { status, headers: all })
}

const streamed = <E>(
  response: Response,
  body: Stream.Stream<Uint8Array<ArrayBuffer>, E>,
  announced?: number
) =>
  Effect.map(Stream.toReadableStreamEffect(body), (stream) => rebuilt(response, stream, announced))

/**
 * Applies a fault. `accept` handles the request, and makes the correct response: a fault before
 * acceptance does not run it.
 */
export const applyFault = (
  fault: Fault,
  accept: Effect.Effect<Response>
): Effect.Effect<Response, ConnectionReset> => {
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
    case "ResetBeforeAcceptance":
      return reset
    case "ResetAfterAcceptance":
      return Effect.andThen(accept, reset)
    case "NoResponse":
      return fault.accept === true ? Effect.andThen(accept, Effect.never) : Effect.never
    case "HeadersThenSilence":
      return Effect.flatMap(accept, (response) => streamed(response, Stream.never))
    case "TruncatedJson":
      return Effect.flatMap(accept, (response) =>
        Effect.map(halved(response), ({ half }) => rebuilt(response, half, half.length))
      )
    case "BodyCutOff":
      return Effect.flatMap(accept, (response) =>
        Effect.flatMap(halved(response), ({ announced, half }) =>
          streamed(
            response,
            Stream.concat(Stream.make(half), Stream.fail(new ConnectionReset())),
            announced
          )
        )
      )
    case "Slow":
      return Effect.tap(accept, () => Effect.sleep(Duration.seconds(fault.seconds)))
  }
}
