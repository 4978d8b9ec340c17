/**
 * Responses of the HTTP server itself, in the form that an MCP client reads.
 */

/** JSON-RPC 2.0 has the codes from -32768 to -32600; the SDK took the others for transports. */
const codes = {
  refused: -32000,
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

export const refusal = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {}
): Response => respond(status, codes.refused, message, headers)

/** The code and the words of the SDK, which legacy clients take as the cue to open a new session. */
export const sessionNotFound = (): Response =>
  respond(404, codes.sessionNotFound, "Session not found")

export const parseError = (): Response =>
  respond(400, codes.parseError, "Parse error: the request body is not valid JSON")

export const internalError = (): Response =>
  respond(500, codes.internalError, "Internal server error")

export const stopping = (): Response =>
  refusal(503, "The server is stopping: nothing was done, call again later", {
    "retry-after": "5",
    connection: "close"
  })

/** Says nothing on what was done: a send may have gone out. */
export const cutShort = (): Response =>
  refusal(503, "The server stopped before the response was ready", { connection: "close" })
