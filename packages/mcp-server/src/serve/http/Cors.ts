/**
 * The CORS headers that let pages of an allowed origin use MCP from a browser.
 */

const allowedHeaders = [
  "accept",
  "authorization",
  "content-type",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id"
].join(", ")

const exposedHeaders = [
  "mcp-protocol-version",
  "mcp-session-id",
  "retry-after",
  "www-authenticate"
].join(", ")

export const preflight = (): Response =>
  new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, POST, DELETE",
      "access-control-allow-headers": allowedHeaders,
      "access-control-max-age": "600"
    }
  })

/** Adds the headers to a response. Call it only for a request whose origin was checked. */
export const allow = (request: Request, { headers }: Response): void => {
  const origin = request.headers.get("origin")
  if (origin === null) return
  headers.append("vary", "origin")
  // A public document already allows every origin.
  if (!headers.has("access-control-allow-origin")) {
    headers.set("access-control-allow-origin", origin)
    headers.set("access-control-expose-headers", exposedHeaders)
  }
}
