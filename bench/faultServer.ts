/**
 * The server of the wire benchmark, in its own process. A PUT selects the fault, and an OPTIONS returns
 * the number of POSTs.
 */
import { createServer, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"

const status = (code: number) => (response: ServerResponse) => {
  response.writeHead(code, { "content-type": "application/json" }).end("{}")
}

const faults = new Map<string, (response: ServerResponse) => void>([
  ["reset", (response) => response.socket?.resetAndDestroy()],
  ["500", status(500)],
  ["429", status(429)],
  ["silence", () => undefined]
])

let fault: ((response: ServerResponse) => void) | undefined
let posts = 0

const server = createServer((request, response) => {
  if (request.method === "OPTIONS") {
    response.end(String(posts))
    return
  }
  if (request.method === "POST") posts++
  void text(request).then((body) => {
    if (request.method === "POST") return fault?.(response)
    fault = faults.get(body)
    return response.end()
  })
})

server.listen(0, "127.0.0.1", () => process.send?.(server.address()))

process.on("disconnect", () => process.exit(0))
