/** The sandbox could not listen. */
import { portAdvice } from "../command-line/Port.ts"
import * as Schema from "effect/Schema"

/**
 * The sandbox could not listen on its host and port. `code` is the platform's name for the reason,
 * such as `EADDRINUSE`.
 */
export class SandboxStartError extends Schema.TaggedError<SandboxStartError>()(
  "SandboxStartError",
  {
    host: Schema.String,
    port: Schema.Int,
    code: Schema.String
  }
) {
  override get message(): string {
    return `The sandbox cannot listen on ${this.host} port ${this.port}: ${portAdvice(this.code)}`
  }
}
