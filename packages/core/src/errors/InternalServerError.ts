/**
 * The error response of HTTP 500.
 *
 * @since 0.1.0
 */
import { documentedError } from "./DocumentedError.ts"

/**
 * HTTP 500, "Internal server error"; documented for sendSms, getSmsStatus and getAirtimeStatus.
 *
 * Source: service description §7
 * @since 0.1.0
 */
export class InternalServerError extends documentedError<InternalServerError>()(
  "InternalServerError",
  500,
  "The service failed: retry a read in a few moments; an SMS may have gone out, so it is not safe to send it again"
) {}
