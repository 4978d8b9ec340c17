/**
 * The tools of the servers in the comparison, and the constant that they return.
 */

/** The bundler replaces this name with the tools in our server's response to `tools/list`. */
declare const TOOLS: ReadonlyArray<{
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Record<string, unknown>
  readonly outputSchema: Record<string, unknown>
  readonly annotations: Record<string, boolean>
}>

export const tools = TOOLS

export const info = { name: "bare", version: "1.0.0" }

export const preview = { segments: 1, encoding: "GSM-7" }

export const previewText = "1 segment, GSM-7, 17 of 160 units."
