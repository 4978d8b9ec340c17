/**
 * Tracks the responses that are not complete yet.
 */
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"

export interface OpenResponses {
  readonly add: (outgoing: ServerResponse) => void
  /** Gives complete responses time to be sent. Does not wait for streams and questions to a person. */
  readonly flush: Effect.Effect<void>
  /** Waits until all responses are closed, without a time limit. */
  readonly allClosed: Effect.Effect<void>
}

const eventLoopTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** In turns of the event loop. From the end of a tool to the socket, a response needs about ten. */
const flushTurns = 100

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
    flush: Effect.asVoid(
      Effect.repeat(eventLoopTurn, { while: () => open.size > 0, times: flushTurns })
    ),
    allClosed: Effect.callback((resume) => {
      if (open.size === 0) resume(Effect.void)
      else waiting.add(() => resume(Effect.void))
    })
  }
}

/**
 * Returns the same response, and calls `ended` when its body or its connection ends.
 *
 * The SDK's streams notice only at their next write that a client is gone. Until then, a session
 * refuses the client's new stream as a second one. So the stream must end with the connection.
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
