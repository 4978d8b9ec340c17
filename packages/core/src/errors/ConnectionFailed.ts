/**
 * The request did not start.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { operation } from "../internal/AfterSend.ts"
import { errorClass } from "../internal/ErrorClass.ts"

/**
 * The request did not start, nor did its retries: no connection could be made. Nothing was sent.
 *
 * `code` is the reason as the platform names it (`ECONNREFUSED`, `ENOTFOUND`), if it names one.
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
