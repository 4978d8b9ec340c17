/**
 * The error response of HTTP 404.
 *
 * @since 0.1.0
 */
import { documentedError } from "./DocumentedError.ts"

/**
 * HTTP 404, "Not found; Unknown message id"; documented for sendSms, getSmsStatus and getAirtimeStatus.
 *
 * Source: service description §7
 * @since 0.1.0
 */
export class NotFound extends documentedError<NotFound>()(
  "NotFound",
  404,
  "The service did not find what was asked for: check the identifier, and the base URL"
) {}
