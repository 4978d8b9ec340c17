/**
 * The log entries of a send: before its request starts, after it ended, and when a guard refused it.
 *
 * They contain no phone number and no text: the digest stands for the arguments.
 */
import type { SendEnd } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import { count } from "../Telemetry.ts"
import { endOfTurn } from "./InFlight.ts"
import type { Refusal } from "./Refusal.ts"
import { kindOfDefect } from "./Text.ts"

/** A send that is refused before its text is read has no key. */
interface Logged {
  readonly principal: string
  readonly key?: string
}

const fieldsOf = ({ key, principal }: Logged) => ({
  principal,
  ...(key === undefined ? {} : { digest: key })
})

/**
 * Completes when the entry is written, at the end of the turn: if the process is killed after that, it is
 * the only trace, and the SMS may have gone out.
 */
export const sending = (send: Logged): Effect.Effect<void> =>
  Effect.logInfo("sending").pipe(Effect.annotateLogs(fieldsOf(send)), Effect.andThen(endOfTurn))

export const failed =
  (send: Logged) =>
  (defect: unknown): Effect.Effect<void> =>
    Effect.logError("send failed").pipe(
      Effect.annotateLogs({ ...fieldsOf(send), defect: kindOfDefect(defect) })
    )

export const ended = (
  send: Logged,
  { outcome, results }: Omit<SendEnd<unknown, unknown>, "exit">,
  refusal: Refusal | undefined
): Effect.Effect<void> => {
  const ids = results.map(({ message_id }) => message_id.slice(0, 100).toWellFormed())
  return (outcome === "unknown" ? Effect.logWarning("send") : Effect.logInfo("send")).pipe(
    Effect.annotateLogs({
      ...fieldsOf(send),
      outcome,
      ...(outcome === "sent" ? { message_id: ids } : {}),
      ...(outcome === "not-sent" ? refusal?.details : {})
    }),
    Effect.andThen(count("sends", outcome))
  )
}

export const refused = (send: Logged, { code }: Refusal): Effect.Effect<void> =>
  Effect.logInfo("send refused").pipe(Effect.annotateLogs({ ...fieldsOf(send), code }))
