/**
 * Removes the access token from what a client sent.
 */
import { tokenRedaction as redactionOf } from "@messaging-topup/core/internal"
import * as Redacted from "effect/Redacted"

/** A shorter token is no secret, and may be a common word. Removing it would damage the data. */
const minimumLength = 16

/** Whether the token may be that of the real service. */
export const isSecret = (token: string): boolean => token.length >= minimumLength

/** Returns at most the first `limit` characters of the text, without the token. */
export type Redact = (text: string, limit?: number) => string

/** Finds the token in any spelling, because a client may encode only some of its characters. */
export const tokenRedaction = (token: Redacted.Redacted): Redact => {
  const secret = Redacted.value(token)
  if (!isSecret(secret)) return (text, limit) => text.slice(0, limit)
  const { maxLength, redact } = redactionOf(secret)
  return (text, limit = Infinity) => {
    const readLength = limit + maxLength
    const redacted = redact(text.slice(0, readLength)).replaceAll("<redacted>", "<token>")
    // A cut could leave a part of the token.
    return text.length > readLength
      ? redacted.slice(0, -maxLength).slice(0, limit)
      : redacted.slice(0, limit)
  }
}
