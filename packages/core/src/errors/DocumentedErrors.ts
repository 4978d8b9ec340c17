/**
 * The six error answers that the service documents, one class a status.
 *
 * Which of them an operation can fail with is declared by that operation. `error.title` and
 * `error.detail` hold the service's own words. They can repeat personal data, so they are there to
 * read and in no rendering of the error.
 *
 * Source: service description §7
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { hide, visible } from "../internal/Rendering.ts"
import { ErrorBody } from "./ErrorBody.ts"

const say = (status: number, advice: string): string =>
  `${advice} (HTTP ${status}; the service's own words are in error.title and error.detail)`

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
  /** The HTTP status of the answer; `error.status` is what its body says. */
  readonly status = 400
  constructor(body: ErrorBody, options?: Schema.MakeOptions) {
    super(body, options)
    hide(this, "success", "error")
  }
  override get message(): string {
    return say(400, "The service refused a value of the request: correct it and call again")
  }
  override toJSON(): object {
    return visible(this)
  }
}

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
  /** The HTTP status of the answer; `error.status` is what its body says. */
  readonly status = 401
  constructor(body: ErrorBody, options?: Schema.MakeOptions) {
    super(body, options)
    hide(this, "success", "error")
  }
  override get message(): string {
    return say(
      401,
      "The service did not accept the access token: check MESSAGING_TOPUP_TOKEN or the token option"
    )
  }
  override toJSON(): object {
    return visible(this)
  }
}

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
  /** The HTTP status of the answer; `error.status` is what its body says. */
  readonly status = 402
  constructor(body: ErrorBody, options?: Schema.MakeOptions) {
    super(body, options)
    hide(this, "success", "error")
  }
  override get message(): string {
    return say(
      402,
      "The service asks for payment before it sends: settle the account, then send again"
    )
  }
  override toJSON(): object {
    return visible(this)
  }
}

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
  /** The HTTP status of the answer; `error.status` is what its body says. */
  readonly status = 403
  constructor(body: ErrorBody, options?: Schema.MakeOptions) {
    super(body, options)
    hide(this, "success", "error")
  }
  override get message(): string {
    return say(403, "The access token has no right to this operation: use one that has")
  }
  override toJSON(): object {
    return visible(this)
  }
}

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
  /** The HTTP status of the answer; `error.status` is what its body says. */
  readonly status = 404
  constructor(body: ErrorBody, options?: Schema.MakeOptions) {
    super(body, options)
    hide(this, "success", "error")
  }
  override get message(): string {
    return say(
      404,
      "The service did not find what was asked for: check the identifier, and the base URL"
    )
  }
  override toJSON(): object {
    return visible(this)
  }
}

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
  /** The HTTP status of the answer; `error.status` is what its body says. */
  readonly status = 500
  constructor(body: ErrorBody, options?: Schema.MakeOptions) {
    super(body, options)
    hide(this, "success", "error")
  }
  override get message(): string {
    return say(
      500,
      "The service could not fulfil the request: a read may be repeated in a few moments, an SMS may have gone out and is not safe to send again"
    )
  }
  override toJSON(): object {
    return visible(this)
  }
}
