/**
 * The operation and the send outcome of a failure, and the advice that its message gives.
 */
import * as Schema from "effect/Schema"

/**
 * The operation that failed, such as `sendSms`. A cause can hold errors of several operations, and
 * only this field tells an error of a send from an error of a read.
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

/** The outcome of a send whose response began with this status; `undefined` if it did not begin. */
export const outcomeOfStatus = (status: number | undefined): Outcome =>
  status === accepted ? "sent" : "unknown"

/** The outcome of a send whose response has an undocumented status. */
export const outcomeOfUndocumentedStatus = (status: number): Outcome =>
  status === tooManyRequests ? "not-sent" : "unknown"

/** The outcome of a send whose response has a body that is not the documented one. */
export const outcomeOfInvalidBody = (response: {
  readonly status: number
  readonly success?: false
}): Outcome => (response.success === false ? "unknown" : outcomeOfStatus(response.status))

/** What to do after a failed send. Empty for other operations. */
export const outcomeAdvice = (name: string | undefined, outcome: Outcome): string =>
  name === "sendSms" ? advice[outcome] : ""
