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

const respond = (
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {}
): Response =>
  Response.json(
    { jsonrpc: "2.0", error: { code, message }, id: null },
    { status, headers: { ...headers } }
  )

export const errorResponse = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {}
): Response => respond(status, codes.notServed, message, headers)

/** Uses the SDK's code and text: legacy clients open a new session when they receive them. */
export const sessionNotFound = (): Response =>
  respond(404, codes.sessionNotFound, "Session not found")

export const parseError = (): Response =>
  respond(400, codes.parseError, "Parse error: the request body is not valid JSON")

export const internalError = (): Response =>
  respond(500, codes.internalError, "Internal server error")

export const stopping = (): Response =>
  errorResponse(503, "The server is stopping: nothing was done, call again later", {
    "retry-after": "5",
    connection: "close"
  })

/** Does not say whether anything was done: a send may have gone out. */
export const cutShort = (): Response =>
  errorResponse(503, "The server stopped before the response was ready", { connection: "close" })
