/**
 * The error response of HTTP 403.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { hide, serviceSays, visible } from "../internal/ErrorRendering.ts"
import { ErrorBody } from "./ErrorBody.ts"

/**
 * HTTP 403, "Insufficient permissions"; documented for sendSms, getSmsStatus and getAirtimeStatus.
 *
 * Source: service description §7
 * @since 0.1.0
 */
export class InsufficientPermissions extends Schema.Error<InsufficientPermissions>(
  "InsufficientPermissions"
)(ErrorBody, {
  httpApiStatus: 403
}) {
  readonly _tag = "InsufficientPermissions"
  /** The HTTP status of the response; `error.status` is what its body says. */
  readonly status = 403
  constructor(body: ErrorBody, options?: Schema.MakeOptions) {
    super(body, options)
    hide(this, "success", "error")
  }
  override get message(): string {
    return serviceSays(403, "The access token has no right to this operation: use one that has")
  }
  override toJSON(): object {
    return visible(this)
  }
}
