/**
 * What is tried again, and after how long.
 *
 * A read may be repeated. A send is repeated only where no connection stood: then nothing left.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Random from "effect/Random"

export interface Attempted {
  readonly error: unknown
  readonly retryAfterSeconds: number | undefined
}

const sendRetries = 2
const baseMillis = 200
const maxBackoffMillis = 10_000
/** The service is taken at its word up to here; a longer wait is the caller's to decide. */
const maxRetryAfterSeconds = 60

const repeatableStatuses = new Set([429, 500, 502, 503, 504])

const isRepeatableRead = (error: unknown): boolean => {
  if (!Predicate.hasProperty(error, "_tag")) return false
  switch (error._tag) {
    case "ConnectionFailed":
    case "ConnectionLost":
    case "RequestTimedOut":
    case "InternalServerError":
      return true
    case "UndocumentedStatus":
      return (
        Predicate.hasProperty(error, "status") &&
        Predicate.isNumber(error.status) &&
        repeatableStatuses.has(error.status)
      )
    default:
      return false
  }
}

export interface RetryPolicy {
  readonly retries: number
  readonly isRepeatable: (error: unknown) => boolean
}

export const policyFor = (isRead: boolean, readRetries: number): RetryPolicy =>
  isRead
    ? { retries: readRetries, isRepeatable: isRepeatableRead }
    : { retries: sendRetries, isRepeatable: Predicate.isTagged("ConnectionFailed") }

/** Exponential with full jitter, or what the service asks for. */
const waitMillis = (retry: number, retryAfterSeconds: number | undefined): Effect.Effect<number> =>
  retryAfterSeconds === undefined
    ? Effect.map(Random.next, (share) =>
        Math.round(share * Math.min(maxBackoffMillis, baseMillis * 2 ** retry))
      )
    : Effect.succeed(retryAfterSeconds * 1000)

/** Runs `attempt` with the number of retries before it, until it succeeds or may not be repeated. */
export const withRetries = <A>(
  { isRepeatable, retries }: RetryPolicy,
  attempt: (retry: number) => Effect.Effect<A, Attempted>
): Effect.Effect<A, unknown> => {
  const from = (retry: number): Effect.Effect<A, unknown> =>
    Effect.catch(attempt(retry), ({ error, retryAfterSeconds }) =>
      retry >= retries ||
      !isRepeatable(error) ||
      (retryAfterSeconds !== undefined && retryAfterSeconds > maxRetryAfterSeconds)
        ? Effect.fail(error)
        : waitMillis(retry, retryAfterSeconds).pipe(
            Effect.flatMap(Effect.sleep),
            Effect.andThen(Effect.suspend(() => from(retry + 1)))
          )
    )
  return from(0)
}
