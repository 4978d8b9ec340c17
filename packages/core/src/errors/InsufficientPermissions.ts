/**
 * The error response of HTTP 403.
 *
 * @since 0.1.0
 */
import { documentedError } from "./DocumentedError.ts"

/**
 * HTTP 403, "Insufficient permissions"; documented for sendSms, getSmsStatus and getAirtimeStatus.
 *
 * Source: service description §7
 * @since 0.1.0
 */
export class InsufficientPermissions extends documentedError<InsufficientPermissions>()(
  "InsufficientPermissions",
  403,
  "The access token has no permission for this operation: use one that has"
) {}
