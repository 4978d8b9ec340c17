/**
 * One transport per session, as the SDK's documentation recommends.
 */
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { makeServer } from "./sdk1.ts"
import { serve } from "./serve.ts"

const sessions = new Map<string, StreamableHTTPServerTransport>()

const open = async (): Promise<StreamableHTTPServerTransport> => {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => {
      sessions.set(id, transport)
    }
  })
  await makeServer().connect(transport)
  return transport
}

const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const id = String(request.headers["mcp-session-id"])
  const transport = sessions.get(id) ?? (await open())
  await transport.handleRequest(request, response)
}

serve((request, response) => void respond(request, response))
