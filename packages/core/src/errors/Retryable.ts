/** Which failures the same request may not meet again: for the retries of a call, and for those of a program. */
import { isFailure } from "./Failure.ts"

const retryableStatuses = new Set([429, 500, 502, 503, 504])

/** Returns whether another attempt may end otherwise. That does not say whether the first one went out. */
export const isRetryable = (error: {
  readonly _tag: string
  readonly status?: number | undefined
}): boolean => {
  switch (error._tag) {
    case "ConnectionFailed":
    case "ConnectionLost":
    case "RequestTimedOut":
      return true
    case "InvalidResponse":
      return false
    default:
      return error.status !== undefined && retryableStatuses.has(error.status)
  }
}

/**
 * Returns whether the same SMS may be sent again after this error of a send: it did not go out, and the next attempt may
 * succeed. That is so after `ConnectionFailed`, `RequestTimedOut` with `started: false`, and `UndocumentedStatus` 429,
 * whose `retryAfterSeconds` says how long to wait.
 *
 * It is false after every other error: the SMS may have gone out, or the request must be corrected first. It is false
 * for any other value, too, such as an error of a read.
 */
export const isSafeToResend = (error: unknown): boolean =>
  isFailure(error) && error.sendOutcome === "not-sent" && isRetryable(error)
