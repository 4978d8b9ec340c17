/**
 * The request did not start.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { operation } from "./FailureOutcome.ts"
import { errorClass } from "./ErrorClass.ts"

/**
 * No connection could be made, so neither the request nor its retries started. Nothing was sent.
 *
 * `code` is the platform's name for the reason (`ECONNREFUSED`, `ENOTFOUND`), if there is one.
 *
 * @since 0.1.0
 */
export class ConnectionFailed extends errorClass<ConnectionFailed>()(
  "ConnectionFailed",
  { code: Schema.optionalKey(Schema.String), operation },
  {
    message: ({ code }) =>
      `No connection to the service could be made (${code ?? "no reason given"}). Nothing was sent. Check the base URL and the network`
  }
) {}
