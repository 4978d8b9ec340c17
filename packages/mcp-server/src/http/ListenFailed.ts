/**
 * The HTTP front could not listen.
 */
import * as Schema from "effect/Schema"

const advice = new Map([
  ["EADDRINUSE", "the port is in use: stop what listens there, or take another port"],
  ["EACCES", "this user has no right to the port: take one above 1023"],
  ["EADDRNOTAVAIL", "the host is no address of this machine: take 127.0.0.1"],
  ["ENOTFOUND", "the host name is not known: take 127.0.0.1"],
  ["ERR_SOCKET_BAD_PORT", "the port is not a number from 0 to 65535"]
])

export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  host: Schema.String,
  // As it was asked for, NaN too.
  port: Schema.Number,
  /** The reason as the platform names it, such as `EADDRINUSE`. */
  code: Schema.String
}) {
  override get message(): string {
    return `Cannot listen on ${this.host} port ${this.port}: ${advice.get(this.code) ?? this.code}`
  }
}
