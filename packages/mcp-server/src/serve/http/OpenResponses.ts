/**
 * Tracks the responses that are not complete yet.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { ServerResponse } from "node:http"
import { endOfTurn } from "../../send/InFlight.ts"

export interface OpenResponses {
  readonly add: (outgoing: ServerResponse) => void
  /** Gives complete responses time to be sent. Does not wait for streams and questions to a person. */
  readonly flush: Effect.Effect<void>
  /** Waits until all responses are closed, without a time limit. */
  readonly allClosed: Effect.Effect<void>
}

/** In turns of the event loop. From the end of a tool to the socket, a response needs about ten. */
const flushTurns = 100

export const make = (): OpenResponses => {
  let count = 0
  const idle = Latch.makeUnsafe(true)
  return {
    add: (outgoing) => {
      count += 1
      idle.closeUnsafe()
      outgoing.once("close", () => {
        count -= 1
        if (count === 0) idle.openUnsafe()
      })
    },
    flush: Effect.asVoid(Effect.repeat(endOfTurn, { while: () => count > 0, times: flushTurns })),
    allClosed: idle.await
  }
}
