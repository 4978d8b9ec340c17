/**
 * A server on loopback that passes the socket of each request to the test. It can do what Node's
 * HTTP server cannot: incomplete responses, cut connections, early responses.
 */
import * as Effect from "effect/Effect"
import { createServer, type Socket } from "node:net"
import { listening } from "./Listening.ts"

/** Called for each complete request. `nth` counts them from 1. */
type OnRequest = (socket: Socket, nth: number) => void

const headEnd = "\r\n\r\n"

/** The length of the first request, if all of it was read. */
const requestLength = (read: string): number | undefined => {
  const end = read.indexOf(headEnd)
  if (end < 0) return undefined
  const [, announced = "0"] = /\ncontent-length: *(\d+)/i.exec(read.slice(0, end)) ?? []
  const length = end + headEnd.length + Number(announced)
  return read.length < length ? undefined : length
}

export const socketServer = Effect.gen(function* () {
  let onRequest: OnRequest = (socket) => socket.destroy()
  let onConnection: (socket: Socket) => void = () => {}
  let max = 0
  const received: Array<string> = []
  const server = createServer((socket) => {
    max = Math.max(max, sockets.size)
    onConnection(socket)
    let read = ""
    socket.on("data", (chunk: Buffer) => {
      read += chunk.toString("latin1")
      for (let length = requestLength(read); length !== undefined; length = requestLength(read)) {
        received.push(read.slice(0, length))
        read = read.slice(length)
        onRequest(socket, received.length)
      }
    })
  })
  const { port, sockets } = yield* listening(server)
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    /** The raw requests since the last `onRequest`. */
    received,
    onRequest: (next: OnRequest) => {
      received.length = 0
      onRequest = next
    },
    /** Sets a function that is called for each connection, before anything is read. */
    onConnection: (next: (socket: Socket) => void) => {
      onConnection = next
    },
    /** Refuses new connections. Existing ones stay open. */
    stopListening: () => void server.close(),
    /** The number of open connections. */
    connections: () => sockets.size,
    /** The maximum number of connections that were open at the same time. */
    maxConnections: () => max
  }
})

export type Framing = "content-length" | "chunked" | "until closed"

/** The bytes of a response, as text. */
export const responseText = (
  status: number,
  body: unknown,
  framing: Framing = "content-length",
  headers: Readonly<Record<string, string>> = {}
): string => {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  const fields = Object.entries({
    ...headers,
    ...(framing === "content-length" ? { "content-length": String(Buffer.byteLength(text)) } : {}),
    ...(framing === "chunked" ? { "transfer-encoding": "chunked" } : {}),
    ...(framing === "until closed" ? { connection: "close" } : {})
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  const half = Math.ceil(text.length / 2)
  const chunk = (part: string) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`
  const framed =
    framing === "chunked"
      ? `${chunk(text.slice(0, half))}${chunk(text.slice(half))}0\r\n\r\n`
      : text
  return `HTTP/1.1 ${status} Any\r\n${fields.join("")}\r\n${framed}`
}

export const headLength = (response: string): number => response.indexOf(headEnd) + headEnd.length
