/**
 * Tells a client that asked for progress when the request is about to start.
 */
import * as Effect from "effect/Effect"
import type { Caller } from "./Caller.ts"

export const reportSending = ({ context }: Caller): Effect.Effect<void> => {
  const progressToken = context.mcpReq._meta?.progressToken
  if (progressToken === undefined) return Effect.void
  // Not awaited: a client that reads slowly, or is gone, must not delay the send.
  return Effect.tryPromise(() =>
    context.mcpReq.notify({
      method: "notifications/progress",
      params: {
        progressToken,
        progress: 1,
        total: 2,
        message: "Sending. Cancelling does not stop it from here on."
      }
    })
  ).pipe(Effect.ignore, Effect.forkDetach({ startImmediately: true }), Effect.asVoid)
}
