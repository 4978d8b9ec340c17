/**
 * The answers that are not yet out.
 */
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"

export interface Exchanges {
  readonly add: (outgoing: ServerResponse) => void
  /** Lets go out what is ready to. Streams and questions to a person stay open and are not waited for. */
  readonly settle: Effect.Effect<void>
  /** Waits for the last one, however long. */
  readonly allClosed: Effect.Effect<void>
}

const eventLoopTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** An answer needs about ten to get from the end of a tool to the socket. */
const turns = 100

export const make = (): Exchanges => {
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
