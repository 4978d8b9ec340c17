/**
 * The log entries of a send: before its request starts, after it ended, and when a guard refused it.
 *
 * They contain no phone number and no text: the digest stands for the arguments.
 */
import * as Effect from "effect/Effect"
import type { PlannedSend } from "./PlannedSend.ts"
import type { Refusal } from "./Refusal.ts"
import type { EndedSend } from "./SendEnd.ts"
import { endOfTurn } from "./InFlight.ts"
import { kindOfDefect } from "./Text.ts"
import { count } from "../telemetry/Telemetry.ts"

const described = (ended: EndedSend): Readonly<Record<string, unknown>> => {
  switch (ended.outcome) {
    case "sent":
      return {
        message_id: ended.results.map(({ message_id }) => message_id.slice(0, 100).toWellFormed())
      }
    case "unknown":
      return {}
    case "not-sent":
      return { ...ended.refusal.details }
  }
}

/**
 * Completes when the entry is written, at the end of the turn: if the process is killed after that, it is
 * the only trace, and the SMS may have gone out.
 */
export const sending = ({ key, principal }: PlannedSend): Effect.Effect<void> =>
  Effect.logInfo("sending").pipe(
    Effect.annotateLogs({ principal, digest: key }),
    Effect.andThen(endOfTurn)
  )

export const failed =
  ({ key, principal }: PlannedSend) =>
  (defect: unknown): Effect.Effect<void> =>
    Effect.logError("send failed").pipe(
      Effect.annotateLogs({ principal, digest: key, defect: kindOfDefect(defect) })
    )

export const sendEnded = (
  { key, principal }: PlannedSend,
  ended: EndedSend
): Effect.Effect<void> => {
  const { outcome } = ended
  return (outcome === "unknown" ? Effect.logWarning("send") : Effect.logInfo("send")).pipe(
    Effect.annotateLogs({ principal, digest: key, outcome, ...described(ended) }),
    Effect.andThen(count("sends", outcome))
  )
}

/** A send that is refused before its text is read has no digest. */
type Refused = Pick<PlannedSend, "principal"> & Partial<Pick<PlannedSend, "key">>

export const refused = ({ key, principal }: Refused, { code }: Refusal): Effect.Effect<void> =>
  Effect.logInfo("send refused").pipe(
    Effect.annotateLogs({ principal, ...(key === undefined ? {} : { digest: key }), code })
  )

export const refusals =
  (send: Refused) =>
  <A, R>(effect: Effect.Effect<A, Refusal, R>): Effect.Effect<A, Refusal, R> =>
    Effect.tapError(effect, (refusal) => refused(send, refusal))
