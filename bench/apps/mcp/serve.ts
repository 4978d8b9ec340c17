/**
 * Serves on a free port of this machine, and prints the address.
 */
import { createServer, type RequestListener } from "node:http"

export const announce = (port: number): void => {
  process.stdout.write(`http://127.0.0.1:${port}/mcp\n`)
}

export const serve = (listener: RequestListener): void => {
  const server = createServer(listener)
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    if (address !== null && typeof address === "object") announce(address.port)
  })
}
