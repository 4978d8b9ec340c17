/**
 * What the MCP SDK costs by itself: a server that lists what ours lists, checks nothing and responses
 * a constant.
 */
import { McpServer } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"

/** In the place of this name, the bundler writes the response of our server to `tools/list`. */
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

serveStdio(() => {
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
})
