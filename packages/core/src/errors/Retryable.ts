/** Which failures the same request may not meet again: for the retries of a call, and for those of a program. */
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
