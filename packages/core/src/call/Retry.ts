/**
 * Decides what is retried, and after which delay. A read may be retried. A send is retried only if its
 * request did not start.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { OperationError } from "../errors/DocumentedErrors.ts"
import { isRetryable as isRetryableRead } from "../errors/Failure.ts"

/** The three forms of a date in HTTP (RFC 9110 §5.6.7). `Date.parse` accepts almost any text. */
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:[a-z]*, .* GMT| [A-Z][a-z]{2} .* \d{4})$/

/**
 * Reads the `Retry-After` header (RFC 9110 §10.2.3): seconds or a date. Returns the seconds from
 * now, or `undefined` if the header is missing or invalid.
 */
export const parseRetryAfter = (header: string, clock: Clock.Clock): number | undefined => {
  // Most responses have none.
  if (header === "") return undefined
  const value = header.trim()
  if (/^\d{1,15}$/.test(value)) return Number(value)
  if (!httpDate.test(value)) return undefined
  // The form of C has no time zone, and means this one.
  const at = Date.parse(value.endsWith("GMT") ? value : `${value} GMT`)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - clock.currentTimeMillisUnsafe()) / 1000)
}

/** How a request failed. */
export interface FailedRequest {
  readonly error: OperationError
  readonly retryAfterSeconds?: number | undefined
}

export const baseMillis = 200
const maxBackoffMillis = 10_000
/** The maximum `Retry-After` that is waited for. The caller decides about a longer wait. */
export const maxRetryAfterSeconds = 60
/** Its request did not start. */
export const sendRetries = 2

const isRetryableSend = (error: OperationError): boolean => error._tag === "ConnectionFailed"

/** Exponential with full jitter, added to the `Retry-After`, so that clients do not retry all at once. */
const wait = ({ retryAfterSeconds = 0 }: FailedRequest, retried: number): Effect.Effect<void> =>
  Effect.flatMap(Random.next, (share) =>
    Effect.sleep(
      Math.round(share * Math.min(maxBackoffMillis, baseMillis * 2 ** retried)) +
        retryAfterSeconds * 1000
    )
  )

/** Only a request that failed costs more than the request: `Effect.retry` makes a schedule for each call. */
export const retryPolicy = (isRead: boolean, readRetries: number) => {
  const retries = isRead ? readRetries : sendRetries
  const isRetryable = isRead ? isRetryableRead : isRetryableSend
  const mayRetry = ({ error, retryAfterSeconds = 0 }: FailedRequest): boolean =>
    isRetryable(error) && retryAfterSeconds <= maxRetryAfterSeconds

  const retrying = <A>(
    request: Effect.Effect<A, FailedRequest>,
    retried = 0
  ): Effect.Effect<A, OperationError> =>
    Effect.catch(request, (failure) =>
      retried < retries && mayRetry(failure)
        ? Effect.andThen(wait(failure, retried), retrying(request, retried + 1))
        : Effect.fail(failure.error)
    )
  return retrying
}
