/**
 * Takes the access token out of what a client sent.
 */
import * as Redacted from "effect/Redacted"

const replacement = "<token>"

/** As it is, as a path spells it, and as JSON does. */
export const tokenRedaction = (token: Redacted.Redacted): ((text: string) => string) => {
  const secret = Redacted.value(token)
  const spellings = new Set([
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1)
  ])
  return (text) =>
    [...spellings].reduce(
      (redacted, spelling) =>
        spelling === "" ? redacted : redacted.replaceAll(spelling, replacement),
      text
    )
}
