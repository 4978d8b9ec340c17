import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler } from "@modelcontextprotocol/server"
import { createServer } from "node:http"
import { makeServer } from "./sdk2.ts"

const handler = toNodeHandler(createMcpHandler(makeServer))

const server = createServer((request, response) => {
  const { headers, method = "GET", url = "/" } = request
  const body = () => request.iterator()
  void handler({ method, url, headers, [Symbol.asyncIterator]: body }, response)
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  // As ours does.
  const url = `http://127.0.0.1:${port}/mcp`
  process.stderr.write(`${JSON.stringify({ event: "listening", level: "info", url })}\n`)
})
