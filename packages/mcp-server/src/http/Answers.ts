/**
 * What the front answers by itself, in the form that an MCP client reads.
 */

/** The code that the SDK gives every refusal of a transport. */
const refused = -32000

export const refusal = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {}
): Response =>
  Response.json(
    { jsonrpc: "2.0", error: { code: refused, message }, id: null },
    { status, headers: { ...headers } }
  )

/** The code and the words of the SDK, which older clients take as the cue to open a new session. */
export const sessionNotFound = (): Response =>
  Response.json(
    { jsonrpc: "2.0", error: { code: -32001, message: "Session not found" }, id: null },
    { status: 404 }
  )

export const parseError = (): Response =>
  Response.json(
    {
      jsonrpc: "2.0",
      error: { code: -32700, message: "Parse error: the request body is not valid JSON" },
      id: null
    },
    { status: 400 }
  )

export const internalError = (): Response =>
  Response.json(
    { jsonrpc: "2.0", error: { code: -32603, message: "Internal server error" }, id: null },
    { status: 500 }
  )

export const stopping = (): Response =>
  refusal(503, "The server is stopping: nothing was done, call again later", {
    "retry-after": "5",
    connection: "close"
  })

/** Says nothing on what was done: a send may have gone out. */
export const cutShort = (): Response =>
  refusal(503, "The server stopped before the answer was ready", { connection: "close" })
