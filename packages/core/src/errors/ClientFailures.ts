/** The failures that every operation shares, in addition to its documented errors. */
import * as Schema from "effect/Schema"
import { errorClass, operation, requestId } from "./ErrorClass.ts"
import {
  outcomeAdvice,
  outcomeOfInvalidBody,
  outcomeOfStatus,
  outcomeOfUndocumentedStatus
} from "./FailureOutcome.ts"

/**
 * A value of the call cannot be sent to the service. Nothing was sent.
 *
 * `field` is the documented name of the field or path parameter (`recipient`, `message_id`), or its
 * path if it is nested. `problem` says what was expected. Neither repeats the value.
 */
export class InvalidInput extends errorClass<InvalidInput>()(
  "InvalidInput",
  { field: Schema.String, problem: Schema.String, operation },
  { message: ({ field, problem }) => `Nothing was sent. ${field}: ${problem}` }
) {}

/**
 * The effect of the option `token` failed, or its token cannot be sent. No request started.
 *
 * `problem` says what was expected, or the name of the failure, and none of its content.
 */
export class TokenUnavailable extends errorClass<TokenUnavailable>()(
  "TokenUnavailable",
  { problem: Schema.String, operation },
  { message: ({ problem }) => `Nothing was sent, because there is no access token: ${problem}` }
) {}

/**
 * No connection could be made, so neither the request nor its retries started. Nothing was sent.
 *
 * `code` is the platform's name for the reason (`ECONNREFUSED`, `ENOTFOUND`), if there is one.
 */
export class ConnectionFailed extends errorClass<ConnectionFailed>()(
  "ConnectionFailed",
  { code: Schema.optionalKey(Schema.String), operation },
  {
    message: ({ code }) =>
      `No connection to the service could be made (${code ?? "no reason given"}). Nothing was sent. Check the base URL and the network`
  }
) {}

/**
 * The connection broke after the request may have reached the service.
 *
 * `code` is the platform's name for the reason (`ECONNRESET`), if there is one. `defect` is there if
 * the HTTP client failed with a defect, and is its kind (`TypeError`). `status` is the HTTP status, if
 * the response had begun: the service accepted a send with status 202.
 */
export class ConnectionLost extends errorClass<ConnectionLost>()(
  "ConnectionLost",
  {
    code: Schema.optionalKey(Schema.String),
    defect: Schema.optionalKey(Schema.String),
    status: Schema.optionalKey(Schema.Int),
    requestId,
    operation
  },
  {
    message: ({ code, defect, status, operation: name }) => {
      const when = status === undefined ? "before the response" : `in the body of HTTP ${status}`
      const what =
        defect === undefined
          ? `The connection to the service broke ${when} (${code ?? "no reason given"})`
          : `The HTTP client failed with a defect (${defect}) ${when}`
      return what + outcomeAdvice(name, outcomeOfStatus(status))
    }
  }
) {}

/**
 * The response was not complete within the time-out of one attempt. The request was aborted.
 *
 * `timeoutMillis` is the time-out in milliseconds. `started` is false if the request was still
 * waiting for a connection, so that nothing was sent. `status` is the HTTP status, if the response
 * had begun: the service accepted a send with status 202.
 */
export class RequestTimedOut extends errorClass<RequestTimedOut>()(
  "RequestTimedOut",
  {
    timeoutMillis: Schema.Finite,
    started: Schema.Boolean,
    status: Schema.optionalKey(Schema.Int),
    requestId,
    operation
  },
  {
    message: ({ started, status, timeoutMillis, operation: name }) => {
      if (!started) return `There was no connection within ${timeoutMillis} ms: nothing was sent`
      const what = status === undefined ? "no response" : `no complete body of HTTP ${status}`
      return `There was ${what} within ${timeoutMillis} ms${outcomeAdvice(name, outcomeOfStatus(status))}`
    }
  }
) {}

/**
 * The HTTP status is not documented for this operation: another success, a redirect (never
 * followed), a proxy's response, or a rate limit.
 *
 * `status` is 0 if a browser hides a redirect. `retryAfterSeconds` is the `Retry-After` header, in
 * seconds from the response. `body` is the text of the response, up to 64 KiB; printing the error
 * does not show it.
 */
export class UndocumentedStatus extends errorClass<UndocumentedStatus>()(
  "UndocumentedStatus",
  {
    status: Schema.Int,
    retryAfterSeconds: Schema.optionalKey(Schema.Finite),
    body: Schema.String,
    requestId,
    operation
  },
  {
    message: ({ retryAfterSeconds, status, operation: name }) => {
      const wait = retryAfterSeconds === undefined ? "" : `, Retry-After ${retryAfterSeconds} s`
      const hint = status === 401 ? ". Check the access token" : ""
      return `The service responded with HTTP ${status}${wait}, which is not documented for this operation; error.body holds the response${outcomeAdvice(name, outcomeOfUndocumentedStatus(status))}${hint}`
    },
    hidden: { body: "(not shown)" }
  }
) {}

/**
 * The response has a documented HTTP status, but its body is not the documented one: HTML of a
 * proxy, an empty or truncated body, a missing field, or more bytes than `maxBodyBytes`. A 202
 * whose body says `success: false` is an `InvalidResponse` too.
 *
 * `problem` says what is wrong and where, without repeating values. `success` is false for a
 * 202 whose body says `success: false`. `body` is the text of the response, up to 64 KiB; printing
 * the error does not show it. After a send with status 202, it may hold the message id.
 */
export class InvalidResponse extends errorClass<InvalidResponse>()(
  "InvalidResponse",
  {
    status: Schema.Int,
    problem: Schema.String,
    success: Schema.optionalKey(Schema.Literal(false)),
    body: Schema.String,
    requestId,
    operation
  },
  {
    message: ({ problem, operation: name, ...response }) =>
      `The service responded with HTTP ${response.status} and a body that is not the documented one: ${problem}; error.body holds what was read${outcomeAdvice(name, outcomeOfInvalidBody(response))}`,
    hidden: { body: "(not shown)" }
  }
) {}

/** Their schemas, for the union of each operation's errors. */
export const clientFailures = [
  InvalidInput,
  TokenUnavailable,
  ConnectionFailed,
  ConnectionLost,
  RequestTimedOut,
  UndocumentedStatus,
  InvalidResponse
] as const

/** The failures that every operation shares. */
export type ClientFailure = InstanceType<(typeof clientFailures)[number]>
