/**
 * The connection broke after bytes of the request may have left.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { visible } from "../internal/ErrorRendering.ts"

/**
 * The connection broke after the request may have reached the service.
 *
 * `code` is the reason as the platform names it (`ECONNRESET`), where it names one. `status` is the
 * HTTP status, where the response had begun: a send with status 202 was accepted.
 *
 * @since 0.1.0
 */
export class ConnectionLost extends Schema.TaggedError<ConnectionLost>()("ConnectionLost", {
  code: Schema.optionalKey(Schema.String),
  status: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    const when =
      this.status === undefined ? "before the response" : `in the body of HTTP ${this.status}`
    return `The connection to the service broke ${when} (${this.code ?? "no reason given"}). After a send, ask sendOutcome before any second send`
  }
  override toJSON(): object {
    return visible(this)
  }
}
