/**
 * The status is documented, the body is not what the description shows for it.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { hide, visible } from "../internal/ErrorRendering.ts"

const fields = {
  status: Schema.Int,
  problem: Schema.String,
  body: Schema.String
}

/**
 * The response has a documented HTTP status and a body that is not the documented one: a proxy's
 * HTML, an empty or truncated body, a missing field, more bytes than `maxBodyBytes`.
 *
 * `problem` says what is wrong and where, without repeating values. `body` is the text of the
 * response, as far as it was read, and in no rendering of the error: after a send with status 202 it
 * may hold the message id.
 *
 * @since 0.1.0
 */
export class InvalidResponse extends Schema.TaggedError<InvalidResponse>()(
  "InvalidResponse",
  fields
) {
  constructor(props: Schema.Struct.MakeIn<typeof fields>, options?: Schema.MakeOptions) {
    super(props, options)
    hide(this, "body")
  }
  override get message(): string {
    return `The service responded with HTTP ${this.status} with a body that is not the documented one: ${this.problem}; error.body holds what was read. After a send, ask sendOutcome before any second send`
  }
  override toJSON(): object {
    return visible(this)
  }
}
