/**
 * The operation of a failure, and what its message says of an SMS.
 */
import * as Schema from "effect/Schema"

/**
 * The operation that failed, such as `sendSms`. It is encoded, because a cause can hold the errors of
 * several operations, and those of a read say nothing of a send.
 */
export const operation = Schema.optionalKey(Schema.String)

type Outcome = "not-sent" | "unknown" | "sent"

const advice: Readonly<Record<Outcome, string>> = {
  "not-sent": ". Nothing was sent: sending again is safe",
  unknown: ". The SMS may have gone out: do not send it again before a person decides",
  sent: ". The SMS was accepted: do not send it again"
}

const accepted = 202
const tooManyRequests = 429

/** Of a send whose response began with this status, or did not begin. */
export const whenResponded = (status: number | undefined): Outcome =>
  status === accepted ? "sent" : "unknown"

/** Of a send whose response has a status that is not documented. */
export const whenUndocumented = (status: number): Outcome =>
  status === tooManyRequests ? "not-sent" : "unknown"

/** Of a send whose response has a body that is not documented. */
export const whenUnreadable = (response: {
  readonly status: number
  readonly success?: false
}): Outcome => (response.success === false ? "unknown" : whenResponded(response.status))

/** What `sendOutcome` says of the error, in words, if it is one of a send. */
export const afterSend = (name: string | undefined, outcome: Outcome): string =>
  name === "sendSms" ? advice[outcome] : ""
