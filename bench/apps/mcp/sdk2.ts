/**
 * A server on the bare MCP SDK 2. It lists the same tools as ours, checks nothing, and returns a constant.
 */
import { McpServer } from "@modelcontextprotocol/server"

/** The bundler replaces this name with the tools in our server's response to `tools/list`. */
declare const TOOLS: ReadonlyArray<{
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Record<string, unknown>
  readonly outputSchema: Record<string, unknown>
  readonly annotations: Record<string, boolean>
}>

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
  for (const { inputSchema, name, outputSchema, ...tool } of TOOLS) {
    server.registerTool(
      name,
      { ...tool, inputSchema: unchecked(inputSchema), outputSchema: unchecked(outputSchema) },
      () => ({
        content: [{ type: "text", text: "1 segment, GSM-7, 17 of 160 units." }],
        structuredContent: { segments: 1, encoding: "GSM-7" }
      })
    )
  }
  return server
}
