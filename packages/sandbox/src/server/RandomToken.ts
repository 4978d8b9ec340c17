/**
 * Makes a random access token.
 */
import * as Hex from "effect/encoding/Hex"
import * as Redacted from "effect/Redacted"

export const randomToken = (): Redacted.Redacted => {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return Redacted.make(`sandbox-${Hex.encode(bytes)}`)
}
