/**
 * A `node:http` server that is bound.
 */
import * as Effect from "effect/Effect"
import type { Server } from "node:http"
import { ListenFailed } from "./ListenFailed.ts"

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
