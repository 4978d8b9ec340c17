/** Ports of servers, and a free one for a program that cannot take any. */
import { once } from "node:events"
import { createServer, type Server } from "node:net"

/** The port of a server that listens. */
export const portOf = (server: Server): number => {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("There is no port")
  return address.port
}

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const port = portOf(server)
  server.close()
  await once(server, "close")
  return port
}
