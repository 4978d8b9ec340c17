/**
 * The error response of HTTP 500.
 *
 * @since 0.1.0
 */
import { documentedError } from "../internal/DocumentedError.ts"

/**
 * HTTP 500, "Internal server error"; documented for sendSms, getSmsStatus and getAirtimeStatus.
 *
 * Source: service description §7
 * @since 0.1.0
 */
export class InternalServerError extends documentedError<InternalServerError>()(
  "InternalServerError",
  500,
  "The service could not fulfil the request: a read may be repeated in a few moments, an SMS may have gone out and is not safe to send again"
) {}
