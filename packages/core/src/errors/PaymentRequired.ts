/**
 * The error response of HTTP 402.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { hide, serviceSays, visible } from "../internal/ErrorRendering.ts"
import { ErrorBody } from "./ErrorBody.ts"

/**
 * HTTP 402, "Payment Required"; documented for sendSms.
 *
 * Source: service description §7
 * @since 0.1.0
 */
export class PaymentRequired extends Schema.Error<PaymentRequired>("PaymentRequired")(ErrorBody, {
  httpApiStatus: 402
}) {
  readonly _tag = "PaymentRequired"
  /** The HTTP status of the response; `error.status` is what its body says. */
  readonly status = 402
  constructor(body: ErrorBody, options?: Schema.MakeOptions) {
    super(body, options)
    hide(this, "success", "error")
  }
  override get message(): string {
    return serviceSays(
      402,
      "The service asks for payment before it sends: settle the account, then send again"
    )
  }
  override toJSON(): object {
    return visible(this)
  }
}
