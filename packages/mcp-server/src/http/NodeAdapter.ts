/**
 * What the SDK's adapter for `node:http` leaves to its surroundings.
 */
import type { NodeIncomingMessageLike, NodeServerResponseLike } from "@modelcontextprotocol/node"
import type { IncomingMessage, ServerResponse } from "node:http"
import { maxDrainedBytes } from "./Limits.ts"

const hostHeader = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i

/** Whether host and target make an address. The adapter glues them together unseen. */
const hasAddress = ({ headers, url = "" }: IncomingMessage): boolean => {
  // HTTP/1.0 knows no such header.
  const { host = "localhost" } = headers
  return url.startsWith("/") && hostHeader.test(host) && URL.canParse(`http://${host}${url}`)
}

/** Methods that a `Request` cannot have. */
const forbidden = new Set(["CONNECT", "TRACE", "TRACK"])

/** The status for what cannot become a `Request`. */
export const unfitStatus = (message: IncomingMessage): number | undefined => {
  if (forbidden.has(message.method ?? "")) return 405
  return hasAddress(message) ? undefined : 400
}

/** The adapter stops reading where a body is too long, and what is left must stay readable. */
export const incoming = (message: IncomingMessage): NodeIncomingMessageLike => ({
  method: message.method ?? "GET",
  url: message.url ?? "/",
  headers: message.headers,
  [Symbol.asyncIterator]: () => message.iterator({ destroyOnReturn: false })
})

/**
 * Reads the rest of a body that nothing else reads off the connection: unread, it would hold up the
 * next request, and closing would reset the connection before the client has its response.
 */
const drain = (message: IncomingMessage): void => {
  let drained = 0
  message.on("data", (chunk: Buffer) => {
    drained += chunk.length
    if (drained > maxDrainedBytes) message.destroy()
  })
}

export const outgoing = (response: ServerResponse): NodeServerResponseLike => ({
  writeHead: (status, { connection, ...headers } = {}) => {
    // Closed while the client still writes, the connection would be reset and the response lost.
    const closes = connection === "close" && status !== 413
    response.writeHead(status, closes ? { ...headers, connection } : headers)
    // A stream may be silent for long; its client waits for the head alone.
    if (headers["content-type"] === "text/event-stream") response.flushHeaders()
  },
  write: (chunk) => response.write(chunk),
  end: (chunk) => {
    if (!response.req.complete) drain(response.req)
    return response.end(chunk)
  },
  on: (event, listener) => response.on(event, listener),
  get destroyed() {
    return response.destroyed
  }
})
