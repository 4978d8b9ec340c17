/**
 * The server of the wire benchmark, in a process of its own: it fails as the path says, and counts.
 *
 * A POST to `/<fault>/<client>/…` meets the fault; a GET of `/<fault>/<client>` responses how many came.
 */
import { createServer, type ServerResponse } from "node:http"

const status = (code: number) => (response: ServerResponse) => {
  response.writeHead(code, { "content-type": "application/json" }).end("{}")
}

const faults = new Map<string, (response: ServerResponse) => void>([
  ["reset", (response) => response.socket?.resetAndDestroy()],
  ["500", status(500)],
  ["429", status(429)],
  ["silence", () => undefined]
])

const posts = new Map<string, number>()

const server = createServer((request, response) => {
  const [, fault = "", client = ""] = (request.url ?? "").split("/")
  const key = `${fault}/${client}`
  if (request.method !== "POST") {
    response.end(String(posts.get(key) ?? 0))
    return
  }
  posts.set(key, (posts.get(key) ?? 0) + 1)
  request.resume().on("end", () => faults.get(fault)?.(response))
})

server.listen(0, "127.0.0.1", () => process.send?.(server.address()))

process.on("disconnect", () => process.exit(0))
