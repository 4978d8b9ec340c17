/**
 * The status is documented, the body is not what the description shows for it.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { afterSend, operation, whenUnreadable } from "../internal/AfterSend.ts"
import { errorClass } from "../internal/ErrorClass.ts"

/**
 * The response has a documented HTTP status and a body that is not the documented one: a proxy's
 * HTML, an empty or truncated body, a missing field, more bytes than `maxBodyBytes`; or a 202 that
 * says `success: false`.
 *
 * `problem` says what is wrong and where, without repeating values. `success` is false if the body of
 * a success says so. `body` is the text of the response, at most 64 KiB of it, and in no rendering of
 * the error: after a send with status 202 it may hold the message id.
 *
 * @since 0.1.0
 */
export class InvalidResponse extends errorClass<InvalidResponse>()(
  "InvalidResponse",
  {
    status: Schema.Int,
    problem: Schema.String,
    success: Schema.optionalKey(Schema.Literal(false)),
    body: Schema.String,
    operation
  },
  {
    message: ({ problem, operation: name, ...response }) =>
      `The service responded with HTTP ${response.status} and a body that is not the documented one: ${problem}; error.body holds what was read${afterSend(name, whenUnreadable(response))}`,
    hidden: ["body"]
  }
) {}
