/**
 * The error response of HTTP 401.
 *
 * @since 0.1.0
 */
import { documentedError } from "./DocumentedError.ts"

/**
 * HTTP 401, "Authentication failed"; documented for sendSms, getSmsStatus and getAirtimeStatus.
 *
 * Source: service description §7
 * @since 0.1.0
 */
export class AuthenticationFailed extends documentedError<AuthenticationFailed>()(
  "AuthenticationFailed",
  401,
  "The service did not accept the access token: check MESSAGING_TOPUP_TOKEN or the token option"
) {}
