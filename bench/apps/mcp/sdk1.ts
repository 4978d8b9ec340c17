/**
 * The same tools on the older SDK, which accepts JSON Schema.
 */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { info, preview, previewText, tools } from "./tools.ts"

export const makeServer = () => {
  const mcp = new McpServer(info, { capabilities: { tools: {} } })
  const { server } = mcp
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
  server.setRequestHandler(CallToolRequestSchema, () => ({
    content: [{ type: "text", text: previewText }],
    structuredContent: preview
  }))
  return mcp
}
