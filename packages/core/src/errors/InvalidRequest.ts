/**
 * The error response of HTTP 400.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { hide, serviceSays, visible } from "../internal/ErrorRendering.ts"
import { ErrorBody } from "./ErrorBody.ts"

/**
 * HTTP 400, "Invalid Request Value"; documented for all five operations.
 *
 * Source: service description §7
 * @since 0.1.0
 */
export class InvalidRequest extends Schema.Error<InvalidRequest>("InvalidRequest")(ErrorBody, {
  httpApiStatus: 400
}) {
  readonly _tag = "InvalidRequest"
  /** The HTTP status of the response; `error.status` is what its body says. */
  readonly status = 400
  constructor(body: ErrorBody, options?: Schema.MakeOptions) {
    super(body, options)
    hide(this, "success", "error")
  }
  override get message(): string {
    return serviceSays(400, "The service refused a value of the request: correct it and call again")
  }
  override toJSON(): object {
    return visible(this)
  }
}
