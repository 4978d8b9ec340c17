/**
 * A server on loopback that responds as the test says, and records the requests.
 */
import * as Effect from "effect/Effect"
import { EventEmitter, once } from "node:events"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import { listening } from "./Listening.ts"

export interface ReceivedRequest {
  readonly method: string
  /** Path and query, unchanged. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Respond = (request: ReceivedRequest, response: ServerResponse) => void

/** Starts the server on this port; 0 picks a free port. */
export const responseServerOn = Effect.fnUntraced(function* (port: number) {
  let respond: Respond = (_, response) => response.writeHead(503).end()
  const received: Array<ReceivedRequest> = []
  const disconnects = new EventEmitter()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    response.on("close", () => {
      if (!response.writableFinished) disconnects.emit("one")
    })
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const entry = {
        method: request.method ?? "",
        url: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString()
      }
      received.push(entry)
      respond(entry, response)
    })
  })
  const { port: chosen } = yield* listening(server, port)
  return {
    baseUrl: `http://127.0.0.1:${chosen}`,
    /** Everything received since the last `respondWith`. */
    received,
    respondWith: (next: Respond) => {
      received.length = 0
      respond = next
    },
    /** Waits until a client disconnects before its response is complete. */
    nextDisconnect: async () => {
      await once(disconnects, "one")
    }
  }
})

export const responseServer = responseServerOn(0)

export type ResponseServer = Effect.Success<typeof responseServer>

/** No server has this port, and no other test can be given it. `fetch` does not block it. */
export const urlWithoutServer = "http://127.0.0.1:2"

export const silence: Respond = () => undefined

export const reset: Respond = (_, response) => response.destroy()

/** Begins a response, and never ends it. */
export const beginWith =
  (status: number, chunk = '{"success":'): Respond =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json" })
    response.write(chunk)
  }

/** Begins a response, and closes the connection. */
export const breakOff =
  (status: number, chunk = '{"success":'): Respond =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json" })
    response.write(chunk, () => response.destroy())
  }

/** Responds with this status, body (an object as JSON, a string unchanged) and headers. */
export const reply =
  (status: number, body: unknown = "", headers: Readonly<Record<string, string>> = {}): Respond =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers })
    response.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body))
  }
