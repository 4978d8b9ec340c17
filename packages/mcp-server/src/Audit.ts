/**
 * One line of the log for every send, and for every one that was refused.
 *
 * No number and no text: the digest stands for the arguments.
 */
import * as Effect from "effect/Effect"
import type { Outcome } from "./guards/SendMemory.ts"
import { clipText } from "./internal/Clip.ts"
import type { Refusal } from "./Refusal.ts"

const described = (outcome: Outcome): Record<string, unknown> => {
  switch (outcome._tag) {
    case "Sent":
      return {
        outcome: "sent",
        message_id: outcome.results.map(({ message_id }) => clipText(message_id, 100))
      }
    case "Unknown":
      return { outcome: "unknown" }
    case "NotSent":
      return { outcome: "not_sent", ...outcome.refusal.details }
  }
}

export const sent = (principal: string, digest: string, outcome: Outcome): Effect.Effect<void> =>
  (outcome._tag === "Unknown" ? Effect.logWarning("send") : Effect.logInfo("send")).pipe(
    Effect.annotateLogs({ principal, digest, ...described(outcome) })
  )

export const refused = (principal: string, { code }: Refusal): Effect.Effect<void> =>
  Effect.logInfo("send refused").pipe(Effect.annotateLogs({ principal, code }))
