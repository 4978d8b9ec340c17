/**
 * The log entries of a send: before its request starts, after it ended, and when a guard refused it.
 *
 * They contain no phone number and no text: the digest stands for the arguments.
 */
import * as Effect from "effect/Effect"
import type { Claim } from "./Claim.ts"
import type { Outcome } from "./Outcome.ts"
import type { Refusal } from "./Refusal.ts"
import { count } from "../telemetry/Telemetry.ts"

interface Described {
  readonly outcome: string
  readonly [field: string]: unknown
}

const described = (outcome: Outcome): Described => {
  switch (outcome._tag) {
    case "Sent":
      return {
        outcome: "sent",
        message_id: outcome.results.map(({ message_id }) => message_id.slice(0, 100).toWellFormed())
      }
    case "Unknown":
      return { outcome: "unknown" }
    case "NotSent": {
      return { outcome: "not-sent", ...outcome.refusal.details }
    }
  }
}

/** If the process is killed after this entry, it is the only trace: the SMS may have gone out. */
export const sending = ({ key, principal }: Claim): Effect.Effect<void> =>
  Effect.logInfo("sending").pipe(Effect.annotateLogs({ principal, digest: key }))

export const sent = ({ key, principal }: Claim, outcome: Outcome): Effect.Effect<void> => {
  const fields = described(outcome)
  return (outcome._tag === "Unknown" ? Effect.logWarning("send") : Effect.logInfo("send")).pipe(
    Effect.annotateLogs({ principal, digest: key, ...fields }),
    Effect.andThen(count("sends", fields.outcome))
  )
}

export const refused = ({ key, principal }: Claim, { code }: Refusal): Effect.Effect<void> =>
  Effect.logInfo("send refused").pipe(Effect.annotateLogs({ principal, digest: key, code }))

export const refusals =
  (claim: Claim) =>
  <A, R>(effect: Effect.Effect<A, Refusal, R>): Effect.Effect<A, Refusal, R> =>
    Effect.tapError(effect, (refusal) => refused(claim, refusal))
