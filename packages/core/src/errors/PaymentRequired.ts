/**
 * The error response of HTTP 402.
 *
 * @since 0.1.0
 */
import { documentedError } from "./DocumentedError.ts"

/**
 * HTTP 402, "Payment Required"; documented for sendSms.
 *
 * Source: service description §7
 * @since 0.1.0
 */
export class PaymentRequired extends documentedError<PaymentRequired>()(
  "PaymentRequired",
  402,
  "The service asks for payment before it sends: settle the account, then send again"
) {}
