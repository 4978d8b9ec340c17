/**
 * The log entries of a send: before its request starts, after it ended, and when a guard refused it.
 *
 * They contain no phone number and no text. `Sender.ts` adds the caller and, once the text is read, the
 * digest that stands for the arguments.
 */
import type { SendEnd } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import { count } from "../Telemetry.ts"
import type { Refusal } from "./Refusal.ts"
import { kindOfDefect } from "./Text.ts"

/** If the process is killed after this entry, it is the only one, and the SMS may have gone out. */
export const sending: Effect.Effect<void> = Effect.logInfo("sending")

export const failed = (defect: unknown): Effect.Effect<void> =>
  Effect.logError("send failed", { defect: kindOfDefect(defect) })

export const ended = (
  { outcome, results }: Omit<SendEnd<unknown, unknown>, "exit">,
  refusal: Refusal | undefined
): Effect.Effect<void> => {
  const ids = results.map(({ message_id }) => message_id.slice(0, 100).toWellFormed())
  const fields = {
    outcome,
    ...(outcome === "sent" ? { message_id: ids } : {}),
    ...(outcome === "not-sent" ? refusal?.details : {})
  }
  const log = outcome === "unknown" ? Effect.logWarning : Effect.logInfo
  return Effect.andThen(log("send", fields), count("sends", outcome))
}

export const refused = ({ code }: Refusal): Effect.Effect<void> =>
  Effect.logInfo("send refused", { code })
