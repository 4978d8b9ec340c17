/** The send outcome of a failure, and the advice that its message gives. */

/**
 * Whether an SMS went out.
 *
 * - `"not-sent"`: the SMS did not go out. It is safe to send it again.
 * - `"unknown"`: the SMS may have gone out, and the service offers no way to find out. This library never
 *   resends it; a person decides.
 * - `"sent"`: the service accepted the SMS. Do not send it again.
 */
export type SendOutcome = "not-sent" | "unknown" | "sent"

const advice: Readonly<Record<SendOutcome, string>> = {
  "not-sent": ". Nothing was sent: sending again is safe",
  unknown: ". The SMS may have gone out: do not send it again before a person decides",
  sent: ". The SMS was accepted: do not send it again"
}

const accepted = 202
const tooManyRequests = 429

/** The outcome of a send whose response began with this status; `undefined` if it did not begin. */
export const outcomeOfStatus = (status: number | undefined): SendOutcome =>
  status === accepted ? "sent" : "unknown"

/** The outcome of a send whose response has an undocumented status. */
export const outcomeOfUndocumentedStatus = (status: number): SendOutcome =>
  status === tooManyRequests ? "not-sent" : "unknown"

/** The outcome of a send whose response has a body that is not the documented one. */
export const outcomeOfInvalidBody = (response: {
  readonly status: number
  readonly success?: false
}): SendOutcome => (response.success === false ? "unknown" : outcomeOfStatus(response.status))

/** What to do after a failed send. Empty for other operations. */
export const outcomeAdvice = (name: string | undefined, outcome: SendOutcome): string =>
  name === "sendSms" ? advice[outcome] : ""
