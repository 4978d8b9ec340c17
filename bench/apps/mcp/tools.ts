/**
 * What the servers that ours is compared with list, and what their tools return: a constant.
 */

/** In the place of this name, the bundler writes the response of our server to `tools/list`. */
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
