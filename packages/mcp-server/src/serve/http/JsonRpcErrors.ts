/**
 * Error responses of the HTTP server itself, as JSON-RPC, which MCP clients can read.
 */

/** JSON-RPC 2.0 reserves -32768 to -32000. The SDK uses -32000 and -32001 for transports. */
const codes = {
  notServed: -32000,
  sessionNotFound: -32001,
  internalError: -32603,
  parseError: -32700
} as const

export const errorResponse = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  code: number = codes.notServed
): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status, headers })

/** Uses the SDK's code and text: legacy clients open a new session when they receive them. */
export const sessionNotFound = (): Response =>
  errorResponse(404, "Session not found", {}, codes.sessionNotFound)

export const parseError = (): Response =>
  errorResponse(400, "Parse error: the request body is not valid JSON", {}, codes.parseError)

export const internalError = (): Response =>
  errorResponse(500, "Internal server error", {}, codes.internalError)

export const stopping = (): Response =>
  errorResponse(503, "The server is stopping: nothing was done, call again later", {
    "retry-after": "5",
    connection: "close"
  })

/** Does not say whether anything was done: a send may have gone out. */
export const cutShort = (): Response =>
  errorResponse(503, "The server stopped before the response was ready", { connection: "close" })
