/**
 * One line of the log for every send, and for every send that a guard refused.
 *
 * No number and no text: the digest stands for the arguments.
 */
import * as Effect from "effect/Effect"
import type { Claim, Outcome } from "./SendMemory.ts"
import { clipText } from "../Text.ts"
import type { Refusal } from "../Refusal.ts"

const described = (outcome: Outcome): Record<string, unknown> => {
  switch (outcome._tag) {
    case "Sent":
      return {
        outcome: "sent",
        message_id: outcome.results.map(({ message_id }) => clipText(message_id, 100))
      }
    case "Unknown":
      return { outcome: "unknown" }
    case "NotSent": {
      const { send_outcome: _, ...details } = outcome.refusal.details ?? {}
      return { outcome: "not_sent", ...details }
    }
  }
}

export const sent = ({ key, principal }: Claim, outcome: Outcome): Effect.Effect<void> =>
  (outcome._tag === "Unknown" ? Effect.logWarning("send") : Effect.logInfo("send")).pipe(
    Effect.annotateLogs({ principal, digest: key, ...described(outcome) })
  )

export const refused = ({ key, principal }: Claim, { code }: Refusal): Effect.Effect<void> =>
  Effect.logInfo("send refused").pipe(Effect.annotateLogs({ principal, digest: key, code }))

export const refusals =
  (claim: Claim) =>
  <A, R>(effect: Effect.Effect<A, Refusal, R>): Effect.Effect<A, Refusal, R> =>
    Effect.tapError(effect, (refusal) => refused(claim, refusal))
