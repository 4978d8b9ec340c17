/**
 * The connection broke after the request may have started.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { afterSend, operation, whenResponded } from "../internal/AfterSend.ts"
import { errorClass } from "../internal/ErrorClass.ts"

/**
 * The connection broke after the request may have reached the service.
 *
 * `code` is the reason as the platform names it (`ECONNRESET`), if it names one. `status` is the HTTP
 * status, if the response had begun: a send with status 202 was accepted.
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
      `The connection to the service broke ${status === undefined ? "before the response" : `in the body of HTTP ${status}`} (${code ?? "no reason given"})${afterSend(name, whenResponded(status))}`
  }
) {}
