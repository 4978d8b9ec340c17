/**
 * The error response of HTTP 404.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { hide, serviceSays, visible } from "../internal/ErrorRendering.ts"
import { ErrorBody } from "./ErrorBody.ts"

/**
 * HTTP 404, "Not found; Unknown message id"; documented for sendSms, getSmsStatus and getAirtimeStatus.
 *
 * Source: service description §7
 * @since 0.1.0
 */
export class NotFound extends Schema.Error<NotFound>("NotFound")(ErrorBody, {
  httpApiStatus: 404
}) {
  readonly _tag = "NotFound"
  /** The HTTP status of the response; `error.status` is what its body says. */
  readonly status = 404
  constructor(body: ErrorBody, options?: Schema.MakeOptions) {
    super(body, options)
    hide(this, "success", "error")
  }
  override get message(): string {
    return serviceSays(
      404,
      "The service did not find what was asked for: check the identifier, and the base URL"
    )
  }
  override toJSON(): object {
    return visible(this)
  }
}
