/**
 * Input that never left: the caller's own value cannot be sent.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { visible } from "../internal/ErrorRendering.ts"

/**
 * A value of the call cannot be sent to the service. Nothing was sent.
 *
 * `field` is the documented name of the field or path parameter (`recipient`, `message_id`), with
 * its place where it is nested; `problem` says what was expected. Neither repeats the value.
 *
 * @since 0.1.0
 */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  field: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `Nothing was sent. Correct ${this.field}: ${this.problem}`
  }
  override toJSON(): object {
    return visible(this)
  }
}
