/**
 * Requests and responses of `node:http` as those of `fetch`, within the limits on what one caller can cost
 * before it is authenticated.
 */
import * as Record from "effect/Record"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Rules } from "../../send/Rules.ts"

/**
 * The maximum length of a body. All that the options allow in one call fits, together with its sealed
 * question: the call with a person's reply repeats the arguments. Where the options allow more than 1 MiB, that is the limit.
 */
export const maxBodyBytesOf = ({
  maxBatch,
  maxSegments
}: Pick<Rules, "maxBatch" | "maxSegments">): number => {
  // A segment has at most 153 characters, in which 67 of other alphabets take more bytes if a client escapes them.
  const row = maxSegments * 3 * 153 + 200
  return Math.min(64 * 1024 + maxBatch * row, 1024 * 1024)
}

/** How much of a refused body is read and discarded before the connection is closed. */
const maxDrainedBytes = 1024 * 1024

/** Options of `node:http`, in milliseconds. The connection of a request that arrives too slowly is closed. */
export const connectionLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 5_000,
  // Otherwise Node drops the second of two Authorization headers, and nothing can detect it.
  joinDuplicateHeaders: true
}

export const maxHeaders = 100

const hostHeader = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i

/** Returns the address of a message, or the error status for one that cannot become a `Request`. */
export const addressOf = ({ headers, method = "", url = "" }: IncomingMessage): URL | number => {
  // The only method that Node accepts, and that a `Request` cannot have.
  if (method === "TRACE") return 405
  // HTTP/1.0 does not require the Host header.
  const { host = "localhost" } = headers
  const address = hostHeader.test(host) ? URL.parse(`http://${host}${url}`) : null
  return url.startsWith("/") && address !== null ? address : 400
}

/** For the authenticator only, and not for the SDK and the tools. */
const credentials = ["authorization", "cookie"]

/** What a client must accept, by name: the SDK knows no wildcard. */
const mediaTypes = ["application/json", "text/event-stream"]

/** Adds the media types that a wildcard covers. Source: RFC 9110 §12.5.1. */
const acceptOf = (accept: string): string => {
  const ranges = new Set(accept.split(",").map((range) => range.replace(/;.*/s, "").trim()))
  const covered = mediaTypes.filter(
    (type) => ranges.has("*/*") || ranges.has(type.replace(/[^/]+$/, "*"))
  )
  return [accept, ...covered].join(", ")
}

/** Returns the request without its body. Its signal aborts when the connection ends too early. */
export const requestOf = (
  { headers, method = "GET" }: IncomingMessage,
  outgoing: ServerResponse,
  address: URL
): Request => {
  const gone = new AbortController()
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) gone.abort()
  })
  const request = new Request(address, {
    method,
    headers: Record.map(headers, String),
    signal: gone.signal
  })
  for (const name of credentials) request.headers.delete(name)
  request.headers.set("accept", acceptOf(headers.accept ?? ""))
  return request
}

/** Returns the body, or the start of one that is too long. The rest of that stays readable. */
export const bodyOf = async (incoming: IncomingMessage, maxBytes: number) => {
  const received: AsyncIterable<Buffer> = incoming.iterator({ destroyOnReturn: false })
  const chunks = new Array<Buffer>()
  let bytes = 0
  // It throws if the connection ends before the body does, and also if it already has.
  for await (const chunk of received) {
    bytes += chunk.length
    chunks.push(chunk)
    if (bytes > maxBytes) break
  }
  return { bytes: Buffer.concat(chunks), isTooLong: bytes > maxBytes }
}

/**
 * Reads the rest of a body that nothing else reads. Unread, it would block the next request on the
 * connection, and closing the connection would reset it before the client has its response.
 */
const drain = (message: IncomingMessage): void => {
  let drained = 0
  message
    .on("data", (chunk: Buffer) => {
      drained += chunk.length
      if (drained > maxDrainedBytes) message.destroy()
    })
    .resume()
}

/** Waits until the client has read enough of what was written, or is gone. */
const room = (outgoing: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      outgoing.off("drain", done).off("close", done)
      resolve()
    }
    outgoing.once("drain", done).once("close", done)
  })

/** Node's own `pipeTo` takes a fifth of a call. */
const stream = async (
  body: ReadableStream<Uint8Array>,
  outgoing: ServerResponse
): Promise<void> => {
  const reader = body.getReader()
  // The SDK notices only at its next write that a client is gone. Until then, a session refuses the
  // client's new stream as a second one.
  outgoing.once("close", () => void reader.cancel().catch(() => {}))
  // A stream may be silent for long, and its client waits for the headers.
  outgoing.flushHeaders()
  // oxlint-disable no-await-in-loop -- a function that calls itself keeps a promise for each piece of a stream
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    if (!outgoing.write(read.value)) await room(outgoing)
  }
  // oxlint-enable no-await-in-loop
}

/** Sends a response. The promise resolves when it is written, also where its source fails. */
export const send = async (response: Response, outgoing: ServerResponse): Promise<void> => {
  const { body, headers, status } = response
  const { req: incoming } = outgoing
  // The SDK asks to keep each connection open; Node decides that by itself.
  if (headers.get("connection") !== "close") headers.delete("connection")
  outgoing.statusCode = status
  outgoing.setHeaders(headers)
  if (body !== null && headers.get("content-type") === "text/event-stream") {
    await stream(body, outgoing).catch(() => {})
    outgoing.end()
    return
  }
  const text = await response.text()
  if (!incoming.complete) drain(incoming)
  outgoing.end(text)
}
