/**
 * No connection to the service could be made.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { visible } from "../internal/ErrorRendering.ts"

/**
 * No connection to the service could be made, also not on the retries: nothing was sent.
 *
 * `code` is the reason as the platform names it (`ECONNREFUSED`, `ENOTFOUND`), where it names one.
 *
 * @since 0.1.0
 */
export class ConnectionFailed extends Schema.TaggedError<ConnectionFailed>()("ConnectionFailed", {
  code: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return `No connection to the service could be made (${this.code ?? "no reason given"}). Nothing was sent. Check the base URL and the network`
  }
  override toJSON(): object {
    return visible(this)
  }
}
