/**
 * The service did not respond in time.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { visible } from "../internal/ErrorRendering.ts"

/**
 * The response was not complete within the time-out of one attempt. The request was aborted.
 *
 * `timeoutMillis` is the time-out in milliseconds. `status` is the HTTP status, where the response
 * had begun: a send with status 202 was accepted.
 *
 * @since 0.1.0
 */
export class RequestTimedOut extends Schema.TaggedError<RequestTimedOut>()("RequestTimedOut", {
  timeoutMillis: Schema.Finite,
  status: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    const what =
      this.status === undefined ? "no response" : `no complete body of HTTP ${this.status}`
    return `There was ${what} within ${this.timeoutMillis} ms. After a send, ask sendOutcome before any second send`
  }
  override toJSON(): object {
    return visible(this)
  }
}
