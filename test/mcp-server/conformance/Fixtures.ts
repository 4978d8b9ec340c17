/**
 * What the fixtures of the conformance suites have in common.
 */
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext
} from "@modelcontextprotocol/server"

export const textResult = (text: string): CallToolResult => ({ content: [{ type: "text", text }] })

/** One pixel. */
export const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="

/** A header and no sound. */
export const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="

export const image = { type: "image", data: png, mimeType: "image/png" } as const

/** What the client said of itself with this request. The SDK keeps the envelope, and not its type. */
export const capabilitiesOf = ({ mcpReq }: ServerContext): ClientCapabilities =>
  (mcpReq.envelope as Readonly<Record<string, ClientCapabilities | undefined>> | undefined)?.[
    CLIENT_CAPABILITIES_META_KEY
  ] ?? {}
