/**
 * Decides what is retried, and after which delay.
 *
 * A read may be retried. A send is retried only if its request did not start.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { isDocumentedError } from "../errors/DocumentedErrors.ts"
import type { OperationError } from "../operations/Endpoint.ts"
import { RemainingMillis } from "./Send.ts"

/**
 * Reads the `Retry-After` header (RFC 9110 §10.2.3): seconds or a date. Returns the seconds from
 * `nowMillis`, or `undefined` if the header is missing or invalid.
 */
export const parseRetryAfter = (
  header: string | undefined,
  nowMillis: number
): number | undefined => {
  const value = header?.trim()
  if (value === undefined || value === "") return undefined
  if (/^\d{1,15}$/.test(value)) return Number(value)
  // Date.parse accepts almost any text. An HTTP date starts with a weekday.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value)) return undefined
  // The oldest of the three date formats has no zone, and all three mean GMT.
  const at = Date.parse(value.endsWith("GMT") ? value : `${value} GMT`)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - nowMillis) / 1000)
}

/** How an attempt failed. */
export interface Failure {
  readonly error: OperationError
  readonly retryAfterSeconds?: number | undefined
  /** A defect of the transport. It is not retried, because a retry would repeat it. */
  readonly isDefect?: true
}

const baseMillis = 200
const maxBackoffMillis = 10_000
/** The maximum `Retry-After` that is waited for. The caller decides about a longer wait. */
const maxRetryAfterSeconds = 60

const retryableStatuses = new Set([429, 500, 502, 503, 504])

const isRetryableRead = (error: OperationError): boolean => {
  if (isDocumentedError(error)) return retryableStatuses.has(error.status)
  switch (error._tag) {
    case "ConnectionFailed":
    case "ConnectionLost":
    case "RequestTimedOut":
      return true
    case "UndocumentedStatus":
      return retryableStatuses.has(error.status)
    case "InvalidInput":
    case "InvalidResponse":
    case "TokenUnavailable":
      return false
  }
}

const isRetryableSend = (error: OperationError): boolean => error._tag === "ConnectionFailed"

/**
 * Exponential with full jitter, added to the `Retry-After`, so that clients do not retry all at
 * once. Fails if the call would be over then.
 */
const wait = (
  { error, retryAfterSeconds = 0 }: Failure,
  retried: number
): Effect.Effect<void, OperationError> =>
  Effect.withFiber((fiber) => {
    const share = fiber.getRef(Random.Random).nextDoubleUnsafe()
    const remaining = fiber.getRef(RemainingMillis)
    const millis =
      Math.round(share * Math.min(maxBackoffMillis, baseMillis * 2 ** retried)) +
      retryAfterSeconds * 1000
    return millis < remaining() ? Effect.sleep(millis) : Effect.fail(error)
  })

/** Only a failed attempt costs more than the attempt: `Effect.retry` makes a schedule for each call. */
export const retryPolicy = (isRead: boolean, retries: number) => {
  const isRetryable = isRead ? isRetryableRead : isRetryableSend
  const mayRetry = ({ error, isDefect, retryAfterSeconds = 0 }: Failure): boolean =>
    isDefect !== true && isRetryable(error) && retryAfterSeconds <= maxRetryAfterSeconds

  const retrying = <A>(
    attempt: Effect.Effect<A, Failure>,
    retried = 0
  ): Effect.Effect<A, OperationError> =>
    Effect.catch(attempt, (failure) =>
      retried < retries && mayRetry(failure)
        ? Effect.andThen(wait(failure, retried), retrying(attempt, retried + 1))
        : Effect.fail(failure.error)
    )
  return retrying
}
