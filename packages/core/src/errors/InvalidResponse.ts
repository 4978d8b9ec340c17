/**
 * The HTTP status is documented, but the body does not match the service description.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { outcomeAdvice, operation, outcomeOfInvalidBody } from "./FailureOutcome.ts"
import { errorClass } from "./ErrorClass.ts"

/**
 * The response has a documented HTTP status, but its body is not the documented one: HTML of a
 * proxy, an empty or truncated body, a missing field, or more bytes than `maxBodyBytes`. A 202
 * whose body says `success: false` is an `InvalidResponse` too.
 *
 * `problem` says what is wrong and where, without repeating values. `success` is false for a
 * 202 whose body says `success: false`. `body` is the text of the response, up to 64 KiB; printing
 * the error does not show it. After a send with status 202, it may hold the message id.
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
      `The service responded with HTTP ${response.status} and a body that is not the documented one: ${problem}; error.body holds what was read${outcomeAdvice(name, outcomeOfInvalidBody(response))}`,
    hidden: ["body"]
  }
) {}
