/**
 * Whether a failed send went out.
 *
 * @since 0.1.0
 */
import type { SendSmsError } from "./operations/SendSms.ts"

/**
 * - `"not-sent"`: it did not go out; sending again is safe.
 * - `"unknown"`: it may have gone out, and the service offers nothing to look it up by. This library
 *   never resends it; a person decides.
 * - `"sent"`: the service accepted it and its response could not be read; do not send again.
 *
 * @since 0.1.0
 */
export type SendOutcome = "not-sent" | "unknown" | "sent"

const accepted = 202

const whenResponded = (status: number | undefined): SendOutcome =>
  status === accepted ? "sent" : "unknown"

/**
 * Says for a failed `sendSms` whether the message went out.
 *
 * An interrupted send has no typed error; treat it as `"unknown"`.
 *
 * @since 0.1.0
 */
export const sendOutcome = (error: SendSmsError): SendOutcome => {
  switch (error._tag) {
    case "InvalidInput":
    case "ConnectionFailed":
    case "InvalidRequest":
    case "AuthenticationFailed":
    case "PaymentRequired":
    case "InsufficientPermissions":
    case "NotFound":
      return "not-sent"
    case "UndocumentedStatus":
      return error.status === 429 ? "not-sent" : "unknown"
    case "InvalidResponse":
    case "ConnectionLost":
    case "RequestTimedOut":
      return whenResponded(error.status)
    case "InternalServerError":
      return "unknown"
  }
}
