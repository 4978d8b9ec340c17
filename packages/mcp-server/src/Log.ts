/**
 * The log: one JSON object per line, on stderr, because stdout carries the protocol. It contains no phone number
 * and no text.
 */
import { documentedErrors, type SendEnd } from "@messaging-topup/core"
import { escapedJson, Phone } from "@messaging-topup/core/internal"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as References from "effect/References"
import type { Writable } from "node:stream"
import { count } from "./Telemetry.ts"

/** Of these failures the operator must know: until they are mended, nothing is sent. */
const aboutAccount = Object.values(documentedErrors).filter(
  ({ concerns }) => concerns === "account"
)

const statusesOfAccount = aboutAccount.map(({ status }) => status).join(", ")

/** The fields of a line about a send, and what they say. */
export const sendFields = {
  time: "when",
  level: `info, warn for an unknown outcome, error, also for what concerns the account (${statusesOfAccount})`,
  event: "`sending`, `send`, `send refused` or `send failed`",
  caller: "who called: `local` over stdio",
  id: "that of `sends` and `resolve`",
  digest: "a keyed digest of the arguments, the same for the same SMS of the caller",
  outcome: "`sent`, `not-sent` or `unknown`",
  message_id: "the ids of the service; one with seven digits of the number in a row is left out",
  code: "the code of the refusal",
  error: "the kind of failure",
  http_status: "the status of the service",
  field: "what core did not accept",
  variable: "the token's or the address's, which may be wrong",
  retry_after_seconds: "when the service accepts requests again",
  first_sent_at: "when an earlier send went out",
  approved_by: "`person`, `client` (it accepted the question within 300 ms) or `none`",
  defect: "the kind of a defect"
} as const

type SendFields = { readonly [Name in keyof typeof sendFields]?: unknown }

/** Who calls, and which SMS a line is about. */
export const about = (fields: Pick<SendFields, "caller" | "digest">) => Effect.annotateLogs(fields)

/** If the process is killed after this line, it is the only one, and the SMS may have gone out. */
export const sending = (id: number): Effect.Effect<void> =>
  logged(Effect.logInfo, "sending", { id })

export const sendFailed = (defect: unknown): Effect.Effect<void> =>
  logged(Effect.logError, "send failed", { defect: kindOfDefect(defect) })

const ofAccount: ReadonlySet<unknown> = new Set(aboutAccount.map(({ tag }) => tag))

/** So many digits of a number in a row may tell whose it is. */
const telling = 7

/** Tells whether a text has them, of this number. */
const namesNumber = (number: string): ((text: string) => boolean) => {
  const digits = Phone.wideForm(number).replace(/\D/g, "")
  return (text) => {
    const written = Phone.wideForm(text).replace(/\D/g, "")
    for (let end = telling; end <= digits.length; end += 1) {
      if (written.includes(digits.slice(end - telling, end))) return true
    }
    return false
  }
}

export const sendEnded = (
  { outcome, results }: Omit<SendEnd<unknown, unknown>, "exit">,
  recipient: string,
  details: Readonly<Record<string, unknown>>
): Effect.Effect<void> => {
  const isNamedIn = namesNumber(recipient)
  const ids = results.flatMap(({ message_id }) =>
    isNamedIn(message_id) ? [] : [message_id.slice(0, 100).toWellFormed()]
  )
  const known = Record.filter(details, (_, name) => Object.hasOwn(sendFields, name))
  const logKnown = ofAccount.has(details["error"]) ? Effect.logError : Effect.logInfo
  const log = outcome === "unknown" ? Effect.logWarning : logKnown
  return Effect.andThen(
    logged(log, "send", {
      outcome,
      ...(outcome === "sent" ? { message_id: ids } : {}),
      ...known
    }),
    count("sends", outcome)
  )
}

export const sendRefused = ({ code }: { readonly code: string }): Effect.Effect<void> =>
  logged(Effect.logInfo, "send refused", { code })

/** The server waits for sends in flight: a second signal would leave them unknown. */
export const stopping = (inFlight: number): Effect.Effect<void> =>
  Effect.logInfo("stopping: a second signal leaves what is in flight unknown", {
    in_flight: inFlight
  })

/** Of a session of a legacy client. */
export const sessionClosed = (caller: string): Effect.Effect<void> =>
  logged(Effect.logInfo, "a session was closed for a new one", { caller })

const logged = (log: typeof Effect.logInfo, event: string, fields: SendFields) => log(event, fields)

/** Names the kind of a defect. Its message could contain anything, so it is never logged. */
export const kindOfDefect = (defect: unknown): string =>
  defect instanceof Error ? defect.name : typeof defect

/** The texts among the values are the event; the objects are fields. */
const line = Logger.make<unknown, string>(({ date, fiber, logLevel, message }) => {
  const values: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
  return escapedJson(
    JSON.stringify({
      time: date.toISOString(),
      level: logLevel.toLowerCase(),
      event: values.filter(Predicate.isString).join(" "),
      ...Object.assign({}, ...values.filter(Predicate.isObject)),
      ...fiber.getRef(References.CurrentLogAnnotations)
    })
  )
})

export const layer = (stderr: Writable) =>
  Logger.layer([Logger.map(line, (text) => void stderr.write(`${text}\n`))])
