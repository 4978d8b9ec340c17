/**
 * Checks and wrappers that the SDK's adapter for `node:http` needs.
 */
import type { NodeIncomingMessageLike, NodeServerResponseLike } from "@modelcontextprotocol/node"
import type { IncomingMessage, ServerResponse } from "node:http"
import { maxDrainedBytes } from "./Limits.ts"

const hostHeader = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i

/** Whether host and target form a URL. The adapter joins them without a check. */
const hasAddress = ({ headers, url = "" }: IncomingMessage): boolean => {
  // HTTP/1.0 does not require the Host header.
  const { host = "localhost" } = headers
  return url.startsWith("/") && hostHeader.test(host) && URL.canParse(`http://${host}${url}`)
}

/** Methods that a `Request` cannot have. */
const forbidden = new Set(["CONNECT", "TRACE", "TRACK"])

/** Returns the error status for a message that cannot become a `Request`. */
export const unfitStatus = (message: IncomingMessage): number | undefined => {
  if (forbidden.has(message.method ?? "")) return 405
  return hasAddress(message) ? undefined : 400
}

/** The adapter stops reading a body that is too long. The rest must stay readable, for `drain`. */
export const incoming = (message: IncomingMessage): NodeIncomingMessageLike => ({
  method: message.method ?? "GET",
  url: message.url ?? "/",
  headers: message.headers,
  [Symbol.asyncIterator]: () => message.iterator({ destroyOnReturn: false })
})

/**
 * Reads the rest of a body that nothing else reads. Unread, it would block the next request on the
 * connection, and closing the connection would reset it before the client has its response.
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
    // After 413 the client may still write: closing would reset the connection and lose the response.
    const closes = connection === "close" && status !== 413
    response.writeHead(status, closes ? { ...headers, connection } : headers)
    // A stream may be silent for long, and its client waits for the headers.
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
