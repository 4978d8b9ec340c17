/**
 * A server on the bare MCP SDK 2. It lists the same tools as ours and checks nothing.
 */
import { McpServer } from "@modelcontextprotocol/server"
import { info, preview, previewText, tools } from "./tools.ts"

const unchecked = (schema: Record<string, unknown>) => ({
  "~standard": {
    version: 1 as const,
    vendor: "bench",
    jsonSchema: { input: () => schema, output: () => schema },
    validate: (value: unknown) => ({ value })
  }
})

export const makeServer = () => {
  const server = new McpServer(info)
  for (const { inputSchema, name, outputSchema, ...tool } of tools) {
    server.registerTool(
      name,
      { ...tool, inputSchema: unchecked(inputSchema), outputSchema: unchecked(outputSchema) },
      () => ({ content: [{ type: "text", text: previewText }], structuredContent: preview })
    )
  }
  return server
}
