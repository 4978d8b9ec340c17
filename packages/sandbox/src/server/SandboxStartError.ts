/**
 * The sandbox could not listen.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

const advice: Readonly<Record<string, string>> = {
  EADDRINUSE:
    "the port is in use: stop the program that uses it, or choose another port (0 picks a free one)",
  EACCES: "this user may not use the port: choose one above 1023",
  EADDRNOTAVAIL: "the host is not an address of this machine: use 127.0.0.1",
  ENOTFOUND: "the host name is unknown: use 127.0.0.1"
}

/**
 * The sandbox could not listen on its host and port. `code` is the platform's name for the reason,
 * such as `EADDRINUSE`.
 *
 * @since 0.1.0
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
    return `The sandbox cannot listen on ${this.host} port ${this.port}: ${advice[this.code] ?? this.code}`
  }
}
