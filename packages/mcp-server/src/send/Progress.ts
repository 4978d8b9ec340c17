/**
 * Progress notifications, for clients that asked for them.
 */
import * as Effect from "effect/Effect"
import type { Caller } from "./Caller.ts"

export interface Progress {
  readonly progress: number
  readonly total: number
  readonly message: string
}

/** Not awaited: a client that reads slowly, or is gone, must not delay a send. */
export const report = ({ context }: Caller, progress: Progress): Effect.Effect<void> => {
  const progressToken = context.mcpReq._meta?.progressToken
  if (progressToken === undefined) return Effect.void
  return Effect.tryPromise(() =>
    context.mcpReq.notify({
      method: "notifications/progress",
      params: { progressToken, ...progress }
    })
  ).pipe(Effect.ignore, Effect.forkDetach({ startImmediately: true }), Effect.asVoid)
}
