/**
 * Removes the access token from what a client sent.
 */
import { tokenRedaction as redactionOf } from "@messaging-topup/core"
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
  const { maxBytes, redact } = redactionOf(secret, "<token>")
  return (text, limit = Infinity) => {
    const readLength = limit + maxBytes
    return redact(text.slice(0, readLength), text.length > readLength).slice(0, limit)
  }
}
