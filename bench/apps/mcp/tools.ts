/**
 * The tools of the servers in the comparison, and the constant that they return.
 */
import type { CallToolResult } from "@modelcontextprotocol/server"

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

export const tools = TOOLS

export const result = RESULT
