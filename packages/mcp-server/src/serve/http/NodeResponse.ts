/**
 * Sends a `Response` of the SDK with `node:http`: what is ready at once goes out in one packet.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { JsonResponse } from "./JsonResponse.ts"
import { maxDrainedBytes } from "./Limits.ts"
import { onClose } from "./NodeRequest.ts"

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

const end = (outgoing: ServerResponse, body?: Uint8Array | string): void => {
  if (!outgoing.req.complete) drain(outgoing.req)
  outgoing.end(body)
}

/** Calls `next` when the client has read enough of what was written, or is gone. */
const onRoom = (outgoing: ServerResponse, next: () => void): void => {
  const done = () => {
    outgoing.off("drain", done).off("close", done)
    next()
  }
  outgoing.once("drain", done).once("close", done)
}

const isStream = ({ headers }: Response): boolean =>
  headers.get("content-type") === "text/event-stream"

/** The SDK keeps connections open by a header, which Node does by itself. */
const headersOf = ({ headers }: Response): Record<string, number | string> => {
  const kept: Record<string, number | string> = Object.fromEntries(headers)
  if (kept["connection"] !== "close") delete kept["connection"]
  return kept
}

const endWith = (response: Response, outgoing: ServerResponse, body: Uint8Array | string): void => {
  const length = Buffer.byteLength(body)
  outgoing.writeHead(response.status, { ...headersOf(response), "content-length": length })
  end(outgoing, body)
}

/**
 * Sends a stream. A tool that needs no request to the service has ended within one turn of the event
 * loop, and with it the stream: then everything is one packet. (`cork` cannot gather the frames. It breaks
 * chunked responses.)
 */
const stream = (
  response: Response,
  body: ReadableStream<Uint8Array>,
  outgoing: ServerResponse
): void => {
  const reader = body.getReader()
  // The SDK notices only at its next write that a client is gone. Until then, a session refuses the
  // client's new stream as a second one.
  onClose(outgoing, () => void reader.cancel().catch(() => {}))
  const frames = new Array<Uint8Array>()
  let isOpen = false
  const open = () => {
    isOpen = true
    outgoing.writeHead(response.status, headersOf(response))
    // A stream may be silent for long, and its client waits for the headers.
    if (frames.length === 0) outgoing.flushHeaders()
    else outgoing.write(Buffer.concat(frames))
  }
  const turn = setImmediate(open)
  const close = () => {
    clearImmediate(turn)
    if (isOpen) end(outgoing)
    else endWith(response, outgoing, Buffer.concat(frames))
  }
  const next = () => {
    reader
      .read()
      .then(({ done, value }) => {
        if (done) close()
        else if (!isOpen) frames.push(value)
        else if (!outgoing.write(value)) {
          onRoom(outgoing, next)
          return
        }
        if (!done) next()
      })
      // An error of the stream ends the response too.
      .catch(close)
  }
  next()
}

/** Sends a response. The promise resolves before a stream has ended. */
export const send = (response: Response, outgoing: ServerResponse): Promise<void> => {
  if (response instanceof JsonResponse) {
    endWith(response, outgoing, response.json)
    return Promise.resolve()
  }
  const { body } = response
  if (body === null) {
    outgoing.writeHead(response.status, headersOf(response))
    end(outgoing)
  } else if (isStream(response)) stream(response, body, outgoing)
  else return response.text().then((text) => endWith(response, outgoing, text))
  return Promise.resolve()
}
