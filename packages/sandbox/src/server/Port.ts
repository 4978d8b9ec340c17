/** Binds a `node:http` server to an address, and closes it. */
import { bracketed } from "@messaging-topup/core/internal"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Server } from "node:http"

const adviceByCode = new Map([
  [
    "EADDRINUSE",
    "the port is in use: stop the program that uses it, or choose another port (0 picks a free one)"
  ],
  ["EACCES", "this user may not use the port: choose one above 1023"],
  ["EADDRNOTAVAIL", "the host is not an address of this machine: use 127.0.0.1"],
  ["ENOTFOUND", "the host name is unknown: use 127.0.0.1"]
])

/** The server could not listen. `code` is the platform's name for the reason, such as `EADDRINUSE`. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{
  readonly host: string
  readonly port: number
  readonly code: string
}> {
  override get message(): string {
    const advice = adviceByCode.get(this.code) ?? this.code
    return `Cannot listen on ${this.host} port ${this.port}: ${advice}`
  }
}

/** Where a server listens. */
export interface Address {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
}

const anyAddress = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "[::1]"]
])

/** Returns the host that a client on this machine can connect to. */
const connectable = (host: string): string => anyAddress.get(host) ?? bracketed(host)

/** Starts to listen, and returns the URL without a slash at the end. */
export const listen = (
  server: Server,
  { host, port }: Address
): Effect.Effect<string, ListenFailed> =>
  Effect.callback((resume) => {
    const failed = (error: NodeJS.ErrnoException) =>
      resume(Effect.fail(new ListenFailed({ host, port, code: error.code ?? error.name })))
    server.once("error", failed)
    server.listen({ host, port }, () => {
      server.off("error", failed)
      const bound = server.address()
      // Only a server on a pipe has no address object, and this one is on a port.
      const boundPort = bound === null || typeof bound === "string" ? port : bound.port
      resume(Effect.succeed(`http://${connectable(host)}:${boundPort}`))
    })
  })

/** Stops listening, and closes every connection. */
export const close = (server: Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })
