/**
 * A TLS server on loopback that offers HTTP/2 and HTTP/1.1, records the requests of both, and
 * responds as the test says.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer } from "node:http"
import * as tls from "node:tls"
import type { Certificate } from "./Certificate.ts"
import { listening } from "./Listening.ts"

/** A complete request. */
export interface TlsRequest {
  readonly protocol: "h2" | "http/1.1"
  readonly response: (status: number, body?: object) => void
  /** Sends `REFUSED_STREAM`. HTTP/1.1 has no equivalent, so the connection is cut. */
  readonly refuse: () => void
  /**
   * Sends `GOAWAY` for stream 0, as if no stream was processed. With HTTP/1.1, the connection is
   * cut.
   */
  readonly goAway: () => void
  readonly cut: () => void
}

export type RespondTls = (request: TlsRequest, server: TlsServer) => void

interface TlsServer {
  readonly baseUrl: string
  /** The protocol of every request, in the order of arrival. */
  readonly received: ReadonlyArray<TlsRequest["protocol"]>
  /** Refuses new connections. Existing ones stay open. */
  readonly stopListening: () => void
}

// Frames of RFC 9113, written by hand: node:http2 cannot send a GOAWAY for stream 0.
const prefaceLength = 24
const headerLength = 9
const type = { data: 0, headers: 1, rstStream: 3, settings: 4, ping: 6, goAway: 7 }
const endStream = 1
const ack = 1
const endHeaders = 4
const refusedStream = 7

const frame = (kind: number, flags: number, stream: number, payload: Buffer): Buffer => {
  const header = Buffer.alloc(headerLength)
  header.writeUIntBE(payload.length, 0, 3)
  header.writeUInt8(kind, 3)
  header.writeUInt8(flags, 4)
  header.writeUInt32BE(stream, 5)
  return Buffer.concat([header, payload])
}

const nothing = Buffer.alloc(0)

/** `:status` as a literal. Its name has index 8 in HPACK's static table. */
const statusHeader = (status: number) => Buffer.from(`\x08\x03${status}`, "latin1")

const serveHttp2 = (socket: tls.TLSSocket, onRequest: (request: TlsRequest) => void) => {
  let unread: Buffer = nothing
  let awaitsPreface = true
  const request = (stream: number): TlsRequest => ({
    protocol: "h2",
    response: (status, body = {}) => {
      socket.write(frame(type.headers, endHeaders, stream, statusHeader(status)))
      socket.write(frame(type.data, endStream, stream, Buffer.from(JSON.stringify(body))))
    },
    refuse: () => {
      socket.write(frame(type.rstStream, 0, stream, Buffer.from([0, 0, 0, refusedStream])))
    },
    goAway: () => {
      socket.end(frame(type.goAway, 0, 0, Buffer.alloc(8)))
    },
    cut: () => socket.destroy()
  })
  const onFrame = (kind: number, flags: number, stream: number, payload: Buffer) => {
    if ((kind === type.settings || kind === type.ping) && (flags & ack) === 0) {
      socket.write(frame(kind, ack, 0, kind === type.ping ? payload : nothing))
    }
    if ((kind === type.headers || kind === type.data) && (flags & endStream) !== 0) {
      onRequest(request(stream))
    }
  }
  socket.write(frame(type.settings, 0, 0, nothing))
  socket.on("data", (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk])
    if (awaitsPreface) {
      if (unread.length < prefaceLength) return
      unread = unread.subarray(prefaceLength)
      awaitsPreface = false
    }
    while (unread.length >= headerLength) {
      const end = headerLength + unread.readUIntBE(0, 3)
      if (unread.length < end) return
      const [head, payload] = [unread, unread.subarray(headerLength, end)]
      unread = unread.subarray(end)
      onFrame(head.readUInt8(3), head.readUInt8(4), head.readUInt32BE(5), payload)
    }
  })
}

export const tlsServer = Effect.fnUntraced(function* (
  options: Certificate & tls.TlsOptions,
  respond: RespondTls,
  protocols: ReadonlyArray<TlsRequest["protocol"]> = ["h2", "http/1.1"]
) {
  const received: Array<TlsRequest["protocol"]> = []
  const onRequest = (request: TlsRequest) => {
    received.push(request.protocol)
    respond(request, server)
  }
  const http1 = createServer((request, response) => {
    const cut = () => request.socket.destroy()
    request.resume().on("end", () =>
      onRequest({
        protocol: "http/1.1",
        response: (status, body = {}) =>
          response.writeHead(status, { connection: "close" }).end(JSON.stringify(body)),
        refuse: cut,
        goAway: cut,
        cut
      })
    )
  })
  const listener = tls.createServer({ ...options, ALPNProtocols: [...protocols] }, (socket) => {
    socket.on("error", () => socket.destroy())
    if (socket.alpnProtocol === "h2") serveHttp2(socket, onRequest)
    else http1.emit("connection", socket)
  })
  const { port } = yield* listening(listener)
  const server: TlsServer = {
    baseUrl: `https://127.0.0.1:${port}`,
    received,
    stopListening: () => void listener.close()
  }
  return server
})

/** Makes this process trust only this certificate, for one test. */
export const trusting = ({ cert }: Certificate): Effect.Effect<unknown, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = tls.getCACertificates("default")
      tls.setDefaultCACertificates([cert])
      return before
    }),
    (before) => Effect.sync(() => tls.setDefaultCACertificates(before))
  )
