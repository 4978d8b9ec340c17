/** The failures that every operation shares, and that of the settings. */
import {
  failure,
  type OfBrokenResponse,
  type OfCall,
  outcomeOfBroken,
  problemOf,
  whereTokenIs
} from "./Failure.ts"

const notSent = () => "not-sent" as const

interface OfResponse extends OfCall {
  /** The HTTP status. */
  readonly status: number
  /**
   * The text of the response, up to 65,536 characters. Printing the error does not show it, and no encoding keeps it:
   * an error that was decoded has an empty text.
   */
  readonly body: string
}

/** A value of the call cannot be sent to the service. No request started. */
export class InvalidInput extends failure<
  OfCall & {
    /** The documented name of the field or path parameter (`recipient`, `message_id`), or of the option. */
    readonly field: string
    /** What was expected. Does not repeat the value. */
    readonly problem: string
  }
>()("InvalidInput", {
  message: ({ field, problem }) => problemOf(field, problem),
  outcome: notSent
}) {}

/** No connection could be made, so neither the request nor its retries started. */
export class ConnectionFailed extends failure<
  OfCall & {
    /** The platform's name for the reason (`ECONNREFUSED`, `ENOTFOUND`), if there is one. */
    readonly code?: string
  }
>()("ConnectionFailed", {
  message: ({ code = "no reason given" }) =>
    `No connection to the service could be made (${code}). ${/_(CLOSED|DESTROYED)$/.test(code) ? "The transport is closed" : "Check the base URL and the network"}`,
  outcome: notSent
}) {}

/** The connection broke after the request may have reached the service. */
export class ConnectionLost extends failure<
  OfBrokenResponse & {
    /** The platform's name for the reason (`ECONNRESET`), if there is one. */
    readonly code?: string
  }
>()("ConnectionLost", {
  message: ({ code = "no reason given", status }) =>
    `The connection to the service broke ${status === undefined ? "before the response" : `in the body of HTTP ${status}`} (${code})`,
  outcome: outcomeOfBroken
}) {}

const timedOut = (started: boolean, status: number | undefined): string => {
  if (!started) return "no connection"
  return status === undefined ? "no response" : `no complete body of HTTP ${status}`
}

/** The response was not complete within its time-out. The request was aborted. */
export class RequestTimedOut extends failure<
  OfBrokenResponse & {
    /** The time-out in milliseconds. */
    readonly timeoutMillis: number
    /** False if the request was still waiting for a connection. */
    readonly started: boolean
  }
>()("RequestTimedOut", {
  message: ({ started, status, timeoutMillis }) =>
    `There was ${timedOut(started, status)} within ${timeoutMillis} ms`,
  outcome: outcomeOfBroken
}) {}

const tooManyRequests = 429

/**
 * The HTTP status is not documented for this operation: another success, a redirect (never followed), a
 * proxy's response, or a rate limit. `status` is 0 if the platform hides a redirect.
 */
export class UndocumentedStatus extends failure<
  OfResponse & {
    /** The `Retry-After` header, in seconds from the response. */
    readonly retryAfterSeconds?: number
  }
>()("UndocumentedStatus", {
  message: ({ retryAfterSeconds, status }) =>
    `The service responded with HTTP ${status}${retryAfterSeconds === undefined ? "" : `, Retry-After ${retryAfterSeconds} s`}, which is not documented for this operation${status === 401 ? `. Check the access token: ${whereTokenIs}` : ""}`,
  outcome: ({ status }) => (status === tooManyRequests ? "not-sent" : "unknown"),
  hidden: { body: "" }
}) {}

/**
 * The response has a documented HTTP status, but its body is not the documented one: HTML of a proxy, an
 * empty or truncated body, a missing field, or more bytes than `maxBodyBytes`. After a send with status
 * 202, it is `"unknown"` whether an SMS was accepted, unless `isAccepted`.
 */
export class InvalidResponse extends failure<
  OfResponse & {
    /** What is wrong and where, without repeating values. */
    readonly problem: string
    /**
     * True for a 202 that says that the SMS was accepted, or that broke off before it said anything else.
     * `body` may hold the message id.
     */
    readonly isAccepted?: true
  }
>()("InvalidResponse", {
  message: ({ problem, status }) =>
    `The service responded with HTTP ${status} and a body that is not the documented one: ${problem}`,
  outcome: ({ isAccepted }) => (isAccepted === true ? "sent" : "unknown"),
  hidden: { body: "" }
}) {}

/** The failures that every operation shares. */
export type ClientFailure =
  | InvalidInput
  | ConnectionFailed
  | ConnectionLost
  | RequestTimedOut
  | UndocumentedStatus
  | InvalidResponse

/** A setting of the client is missing, invalid, unsafe or unknown. The client is not built. */
export class ConfigurationError extends failure<{
  /** The name of the option, or of its environment variable. */
  readonly setting: string
  /** What to change. Never repeats the value. */
  readonly problem: string
  /** A setting is of no operation. */
  readonly operation?: never
}>()("ConfigurationError", {
  message: ({ problem, setting }) => problemOf(setting, problem, "Change ")
}) {}
