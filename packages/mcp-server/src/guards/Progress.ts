/**
 * Tells a client that asked for progress when a call passes the point of no return.
 */
import * as Effect from "effect/Effect"
import type { Call } from "../Call.ts"

export const reportSending = ({ context }: Call): Effect.Effect<void> => {
  const progressToken = context.mcpReq._meta?.progressToken
  if (progressToken === undefined) return Effect.void
  // Nobody waits for it: a client that reads slowly, or is gone, must not hold up the send.
  return Effect.tryPromise(() =>
    context.mcpReq.notify({
      method: "notifications/progress",
      params: {
        progressToken,
        progress: 1,
        total: 2,
        message: "Sending. Cancelling from here on leaves the outcome unknown."
      }
    })
  ).pipe(Effect.ignore, Effect.forkDetach({ startImmediately: true }), Effect.asVoid)
}
