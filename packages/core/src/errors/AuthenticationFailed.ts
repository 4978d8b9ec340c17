/**
 * The error response of HTTP 401.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { hide, serviceSays, visible } from "../internal/ErrorRendering.ts"
import { ErrorBody } from "./ErrorBody.ts"

/**
 * HTTP 401, "Authentication failed"; documented for sendSms, getSmsStatus and getAirtimeStatus.
 *
 * Source: service description §7
 * @since 0.1.0
 */
export class AuthenticationFailed extends Schema.Error<AuthenticationFailed>(
  "AuthenticationFailed"
)(ErrorBody, {
  httpApiStatus: 401
}) {
  readonly _tag = "AuthenticationFailed"
  /** The HTTP status of the response; `error.status` is what its body says. */
  readonly status = 401
  constructor(body: ErrorBody, options?: Schema.MakeOptions) {
    super(body, options)
    hide(this, "success", "error")
  }
  override get message(): string {
    return serviceSays(
      401,
      "The service did not accept the access token: check MESSAGING_TOPUP_TOKEN or the token option"
    )
  }
  override toJSON(): object {
    return visible(this)
  }
}
