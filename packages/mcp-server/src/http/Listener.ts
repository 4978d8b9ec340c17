/**
 * A `node:http` server that is bound.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Server } from "node:http"

const advice = new Map([
  ["EADDRINUSE", "the port is in use: stop what listens there, or take another port"],
  ["EACCES", "this user has no right to the port: take one above 1023"],
  ["EADDRNOTAVAIL", "the host is no address of this machine: take 127.0.0.1"],
  ["ENOTFOUND", "the host name is not known: take 127.0.0.1"],
  ["ERR_SOCKET_BAD_PORT", "the port is not a number from 0 to 65535"]
])

/** The server could not listen. */
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

export interface Address {
  readonly host: string
  readonly port: number
}

const anyAddress = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "[::1]"]
])

/** What a client on this machine writes for the host. */
const connectable = (host: string): string =>
  anyAddress.get(host) ?? (host.includes(":") ? `[${host}]` : host)

/** The URL, without a slash at the end. */
export const listen = (
  server: Server,
  { host, port }: Address
): Effect.Effect<string, ListenFailed> => {
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    return Effect.fail(new ListenFailed({ host, port, code: "ERR_SOCKET_BAD_PORT" }))
  }
  return Effect.callback((resume) => {
    const failed = (error: NodeJS.ErrnoException) =>
      resume(Effect.fail(new ListenFailed({ host, port, code: error.code ?? error.name })))
    server.once("error", failed)
    server.listen({ host, port }, () => {
      server.off("error", failed)
      const bound = server.address()
      // Only a pipe has no address object, and this is never a pipe.
      const boundPort = bound === null || typeof bound === "string" ? port : bound.port
      resume(Effect.succeed(`http://${connectable(host)}:${boundPort}`))
    })
  })
}

/** Stops listening and drops every connection. */
export const close = (server: Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })
