/**
 * Keeps the access token out of answers, should the service repeat it.
 */
import * as Context from "effect/Context"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"

export type Redact = (text: string) => string

/** What is done to every text of an answer before it leaves. */
export const Redaction = Context.Reference<Redact>("@messaging-topup/mcp-server/Redaction", {
  defaultValue: () => (text) => text
})

export const of =
  (secret: Redacted.Redacted): Redact =>
  (text) =>
    text.replaceAll(Redacted.value(secret), "<redacted>")

/** Of every text in plain data. */
export const inData = (redact: Redact, data: unknown): unknown => {
  if (Predicate.isString(data)) return redact(data)
  if (Array.isArray(data)) return data.map((item) => inData(redact, item))
  if (!Predicate.isObject(data)) return data
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, inData(redact, value)])
  )
}
