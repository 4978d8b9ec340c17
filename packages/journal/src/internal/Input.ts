/**
 * Checks values before they are stored: both databases must return them unchanged.
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
  // PostgreSQL cannot store U+0000, and half of a surrogate pair cannot be encoded as UTF-8.
  if (value.includes("\0")) return "it must not contain the character U+0000"
  return value.isWellFormed() ? undefined : "it must not contain half of a surrogate pair"
}

/** Checks the key of a row or a single send, or the id of a campaign. */
export const checkName = (field: string, name: string): Effect.Effect<void, InvalidInput> => {
  const isSized = name.length > 0 && name.length <= maxNameLength
  const problem =
    problemOf(name) ?? (isSized ? undefined : `it must have 1 to ${maxNameLength} characters`)
  return problem === undefined ? Effect.void : Effect.fail(new InvalidInput({ field, problem }))
}

/** Fails for the first field that cannot be stored. `place` is the path of a nested request. */
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
