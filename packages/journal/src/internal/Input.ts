/**
 * What may be stored: what both databases give back as it was.
 */
import { InvalidInput, type SendSmsRequest } from "@messaging-topup/core"
import * as Effect from "effect/Effect"

/** The fields of a request, in the order of the service description. */
export const fields = [
  "recipient",
  "message",
  "sender_id",
  "webhook_url",
  "scheduled_time"
] as const satisfies ReadonlyArray<keyof SendSmsRequest>

const maxNameLength = 512

const problemOf = (value: unknown): string | undefined => {
  if (typeof value !== "string") return "it must be a string"
  // PostgreSQL stores no U+0000, and half a surrogate pair has no UTF-8.
  if (value.includes("\0")) return "it must not contain the character U+0000"
  return value.isWellFormed() ? undefined : "it must not contain half of a surrogate pair"
}

/** The name of a row, a single send or a campaign. */
export const checkName = (field: string, name: string): Effect.Effect<void, InvalidInput> => {
  const isSized = name.length > 0 && name.length <= maxNameLength
  const problem =
    problemOf(name) ?? (isSized ? undefined : `it must have 1 to ${maxNameLength} characters`)
  return problem === undefined ? Effect.void : Effect.fail(new InvalidInput({ field, problem }))
}

/** Fails for the first value that could not be stored. `place` is where the fields are, if nested. */
export const checkRequest = (
  request: SendSmsRequest,
  place = ""
): Effect.Effect<void, InvalidInput> => {
  for (const field of fields) {
    const value = request[field]
    const isLeftOut = value === undefined && field !== "recipient" && field !== "message"
    const wrong = isLeftOut ? undefined : problemOf(value)
    if (wrong !== undefined) {
      return Effect.fail(new InvalidInput({ field: `${place}${field}`, problem: wrong }))
    }
  }
  return Effect.void
}
