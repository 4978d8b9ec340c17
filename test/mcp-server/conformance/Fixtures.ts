/**
 * Values and helpers that the fixtures of the conformance suites share.
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

/** Returns the capabilities that the client sent with this request. The SDK does not type the envelope. */
export const capabilitiesOf = ({ mcpReq }: ServerContext): ClientCapabilities =>
  (mcpReq.envelope as Readonly<Record<string, ClientCapabilities | undefined>> | undefined)?.[
    CLIENT_CAPABILITIES_META_KEY
  ] ?? {}
