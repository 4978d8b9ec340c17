/**
 * The error response of HTTP 400.
 *
 * @since 0.1.0
 */
import { documentedError } from "./DocumentedError.ts"

/**
 * HTTP 400, "Invalid Request Value"; documented for all five operations.
 *
 * Source: service description §7
 * @since 0.1.0
 */
export class InvalidRequest extends documentedError<InvalidRequest>()(
  "InvalidRequest",
  400,
  "The service refused a value of the request: correct it and call again"
) {}
