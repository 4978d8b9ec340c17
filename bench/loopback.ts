/**
 * A server in this process, for what is not timed.
 */
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"

/** Calls `respond` when a request has arrived. Runs `use` with the server's URL, and stops the server afterwards. */
export const withLoopback = async <A>(
  respond: (response: ServerResponse) => void,
  use: (url: string) => Promise<A>
): Promise<A> => {
  const server = createServer((request, response) => {
    request.resume().once("end", () => respond(response))
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  try {
    return await use(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}
