import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler } from "@modelcontextprotocol/server"
import { makeServer } from "./sdk2.ts"
import { serve } from "./serve.ts"

const handler = toNodeHandler(createMcpHandler(makeServer))

serve((request, response) => {
  const { headers, method = "GET", url = "/" } = request
  const body = () => request.iterator()
  void handler({ method, url, headers, [Symbol.asyncIterator]: body }, response)
})
