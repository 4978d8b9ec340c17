/**
 * Responses that are not yet complete.
 */
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"

export interface OpenResponses {
  readonly add: (outgoing: ServerResponse) => void
  /** Lets those out that are ready. Streams and questions to a person stay open and are not waited for. */
  readonly settle: Effect.Effect<void>
  /** Waits for the last one, without a limit. */
  readonly allClosed: Effect.Effect<void>
}

const eventLoopTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** A response needs about ten to get from the end of a tool to the socket. */
const turns = 100

export const make = (): OpenResponses => {
  const open = new Set<ServerResponse>()
  const waiting = new Set<() => void>()

  const remove = (outgoing: ServerResponse) => {
    open.delete(outgoing)
    if (open.size > 0) return
    for (const wake of waiting) wake()
    waiting.clear()
  }

  return {
    add: (outgoing) => {
      open.add(outgoing)
      outgoing.once("close", () => remove(outgoing))
    },
    settle: Effect.asVoid(
      Effect.repeat(eventLoopTurn, { while: () => open.size > 0, times: turns })
    ),
    allClosed: Effect.callback((resume) => {
      if (open.size === 0) resume(Effect.void)
      else waiting.add(() => resume(Effect.void))
    })
  }
}

/**
 * The same response, which calls `ended` at its end.
 *
 * The SDK's streams notice that a client is gone only when they next write to it. Until then a
 * session refuses that client's new stream as a second one, so the stream ends with the connection.
 */
export const onEnd = (response: Response, signal: AbortSignal, ended: () => void): Response => {
  if (response.body === null) {
    ended()
    return response
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  void response.body.pipeTo(writable, { signal }).then(ended, ended)
  return new Response(readable, { status: response.status, headers: response.headers })
}
