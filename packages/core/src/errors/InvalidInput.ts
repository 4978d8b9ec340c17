/**
 * A value of the caller that cannot be sent.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { operation } from "./FailureOutcome.ts"
import { errorClass } from "./ErrorClass.ts"

/**
 * A value of the call cannot be sent to the service. Nothing was sent.
 *
 * `field` is the documented name of the field or path parameter (`recipient`, `message_id`), or its
 * path if it is nested. `problem` says what was expected. Neither repeats the value.
 *
 * @since 0.1.0
 */
export class InvalidInput extends errorClass<InvalidInput>()(
  "InvalidInput",
  { field: Schema.String, problem: Schema.String, operation },
  { message: ({ field, problem }) => `Nothing was sent. Correct ${field}: ${problem}` }
) {}
