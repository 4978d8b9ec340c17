/**
 * The error response of HTTP 500.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { hide, serviceSays, visible } from "../internal/ErrorRendering.ts"
import { ErrorBody } from "./ErrorBody.ts"

/**
 * HTTP 500, "Internal server error"; documented for sendSms, getSmsStatus and getAirtimeStatus.
 *
 * Source: service description §7
 * @since 0.1.0
 */
export class InternalServerError extends Schema.Error<InternalServerError>("InternalServerError")(
  ErrorBody,
  {
    httpApiStatus: 500
  }
) {
  readonly _tag = "InternalServerError"
  /** The HTTP status of the response; `error.status` is what its body says. */
  readonly status = 500
  constructor(body: ErrorBody, options?: Schema.MakeOptions) {
    super(body, options)
    hide(this, "success", "error")
  }
  override get message(): string {
    return serviceSays(
      500,
      "The service could not fulfil the request: a read may be repeated in a few moments, an SMS may have gone out and is not safe to send again"
    )
  }
  override toJSON(): object {
    return visible(this)
  }
}
