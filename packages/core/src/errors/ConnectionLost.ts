/**
 * The connection broke after the request may have started.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { outcomeAdvice, operation, outcomeOfStatus } from "./FailureOutcome.ts"
import { errorClass } from "./ErrorClass.ts"

/**
 * The connection broke after the request may have reached the service.
 *
 * `code` is the platform's name for the reason (`ECONNRESET`), if there is one. `status` is the
 * HTTP status, if the response had begun: the service accepted a send with status 202.
 *
 * @since 0.1.0
 */
export class ConnectionLost extends errorClass<ConnectionLost>()(
  "ConnectionLost",
  {
    code: Schema.optionalKey(Schema.String),
    status: Schema.optionalKey(Schema.Int),
    operation
  },
  {
    message: ({ code, status, operation: name }) =>
      `The connection to the service broke ${status === undefined ? "before the response" : `in the body of HTTP ${status}`} (${code ?? "no reason given"})${outcomeAdvice(name, outcomeOfStatus(status))}`
  }
) {}
