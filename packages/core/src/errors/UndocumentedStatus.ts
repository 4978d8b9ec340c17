/**
 * The service responded with a status that its description does not name for the operation.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { hide, visible } from "../internal/ErrorRendering.ts"

const fields = {
  status: Schema.Int,
  retryAfterSeconds: Schema.optionalKey(Schema.Finite),
  body: Schema.String
}

/**
 * The HTTP status is not documented for this operation: another success, a redirect (never
 * followed), a proxy's response, a rate limit.
 *
 * `status` is 0 where a browser hides a redirect. `retryAfterSeconds` is the `Retry-After` header,
 * in seconds from the response. `body` is the text of the response, as far as it could be read, and in
 * no rendering of the error.
 *
 * @since 0.1.0
 */
export class UndocumentedStatus extends Schema.TaggedError<UndocumentedStatus>()(
  "UndocumentedStatus",
  fields
) {
  constructor(props: Schema.Struct.MakeIn<typeof fields>, options?: Schema.MakeOptions) {
    super(props, options)
    hide(this, "body")
  }
  override get message(): string {
    const wait =
      this.retryAfterSeconds === undefined ? "" : `, Retry-After ${this.retryAfterSeconds} s`
    const hint = this.status === 401 ? " Check the access token." : ""
    return `The service responded with HTTP ${this.status}${wait}, which is not documented for this operation; error.body holds the response.${hint} After a send, ask sendOutcome before any second send`
  }
  override toJSON(): object {
    return visible(this)
  }
}
