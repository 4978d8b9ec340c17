/**
 * The service did not respond in time.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { outcomeAdvice, operation, outcomeOfStatus } from "./FailureOutcome.ts"
import { errorClass } from "./ErrorClass.ts"

/**
 * The response was not complete within the time-out of one attempt. The request was aborted.
 *
 * `timeoutMillis` is the time-out in milliseconds. `started` is false if the request was still
 * waiting for a connection, so that nothing was sent. `status` is the HTTP status, if the response
 * had begun: the service accepted a send with status 202.
 *
 * @since 0.1.0
 */
export class RequestTimedOut extends errorClass<RequestTimedOut>()(
  "RequestTimedOut",
  {
    timeoutMillis: Schema.Finite,
    started: Schema.Boolean,
    status: Schema.optionalKey(Schema.Int),
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
