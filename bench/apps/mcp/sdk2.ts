/**
 * A server on the bare MCP SDK 2. It lists the same tools as ours, checks nothing, and returns a constant.
 */
import { type CallToolResult, McpServer } from "@modelcontextprotocol/server"

/** The bundler replaces these names with our server's own: its tools, and its result of the call. */
declare const TOOLS: ReadonlyArray<{
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Record<string, unknown>
  readonly outputSchema: Record<string, unknown>
  readonly annotations: Record<string, boolean>
}>
declare const RESULT: CallToolResult

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
      () => RESULT
    )
  }
  return server
}
