/** Servers of tests on loopback, and a free port for a program that cannot take any. */
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { createServer, type Server, type Socket } from "node:net"

/** The port of a server that listens. */
export const portOf = (server: Server): number => {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("There is no port")
  return address.port
}

/** Listens until the scope closes, which also ends the connections. Port 0 is a free one. */
export const listening = (server: Server, port = 0) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      server.prependListener("connection", (socket: Socket) => {
        sockets.add(socket)
        // In some tests the client disconnects.
        socket.on("error", () => socket.destroy())
        socket.on("close", () => sockets.delete(socket))
      })
      await once(server.listen({ port, host: "127.0.0.1", backlog: 1024 }), "listening")
      return { port: portOf(server), sockets }
    }),
    ({ sockets }) =>
      Effect.sync(() => {
        server.close()
        for (const socket of sockets) socket.destroy()
      })
  )

export const freePort = Effect.suspend(() => listening(createServer())).pipe(
  Effect.map(({ port }) => port),
  Effect.scoped
)
