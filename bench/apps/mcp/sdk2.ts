/**
 * A server on the bare MCP SDK 2. It lists the same tools as ours, checks nothing, and returns a constant.
 */
import { McpServer } from "@modelcontextprotocol/server"
import { result, tools } from "./tools.ts"

const unchecked = (schema: Record<string, unknown>) => ({
  "~standard": {
    version: 1 as const,
    vendor: "bench",
    jsonSchema: { input: () => schema, output: () => schema },
    validate: (value: unknown) => ({ value })
  }
})

export const makeServer = () => {
  const server = new McpServer({ name: "bare", version: "1.0.0" })
  for (const { inputSchema, name, outputSchema, ...tool } of tools) {
    server.registerTool(
      name,
      { ...tool, inputSchema: unchecked(inputSchema), outputSchema: unchecked(outputSchema) },
      () => result
    )
  }
  return server
}
