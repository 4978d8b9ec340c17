/**
 * Serves the sandbox on a real HTTP server.
 */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Stream from "effect/Stream"
import * as Http from "node:http"
import * as Port from "../command-line/Port.ts"
import type { Control } from "../control/Control.ts"
import { SandboxStartError } from "./SandboxStartError.ts"
import type { Listener } from "./Engine.ts"
import type { Responder } from "../service/Responder.ts"
import { Body, type Incoming } from "../http/Incoming.ts"
import { ConnectionReset } from "../faults/FaultyResponse.ts"
import type { RequestLog } from "../record/RequestLog.ts"

interface Services {
  readonly log: RequestLog
  readonly respond: Responder
  readonly control: Control
}

interface NodeServer extends Listener {
  readonly url: string
}

const headersOf = (request: Http.IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(request.headersDistinct).map(([name, values]) => [
      name,
      values?.join(", ") ?? ""
    ])
  )

const readBody = (request: Http.IncomingMessage, body: Body) =>
  Effect.callback<void>((resume) => {
    request.on("data", (chunk: Buffer) => body.add(chunk))
    request.once("end", () => resume(Effect.void))
  })

/** Waits until the bytes are sent, because a reset discards bytes that still wait. */
const writeChunk = (outgoing: Http.ServerResponse) => (chunk: Uint8Array) =>
  Effect.callback<void>((resume) => {
    outgoing.write(chunk, () => resume(Effect.void))
  })

/** The maximum of events that waits for one reader. A reader with more is disconnected. */
const maxWaitingBytes = 2 * 1024 * 1024

/**
 * Does not wait for the reader. A single event may be larger than the maximum, so only what already
 * waits is checked.
 */
const writeEvent = (outgoing: Http.ServerResponse) => (chunk: Uint8Array) =>
  outgoing.writableLength > maxWaitingBytes
    ? Effect.fail(new ConnectionReset())
    : Effect.sync(() => outgoing.write(chunk))

const write = Effect.fnUntraced(function* <A>(
  response: Response,
  outgoing: Http.ServerResponse,
  writeOne: (chunk: Uint8Array) => Effect.Effect<A, ConnectionReset>
) {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  // Without this, the headers would wait for the first bytes of the body.
  outgoing.flushHeaders()
  const { body } = response
  if (body !== null) {
    yield* Stream.fromReadableStream({
      evaluate: () => body,
      onError: () => new ConnectionReset()
    }).pipe(Stream.runForEach(writeOne))
  }
  outgoing.end()
})

/** Cancels a body that has no reader, so that its source stops. */
const discard = ({ body }: Response) =>
  Effect.promise(() => (body === null || body.locked ? Promise.resolve() : body.cancel()))

const listen = (server: Http.Server, address: Port.Address) =>
  Effect.mapError(
    Port.listen(server, address),
    ({ code, host, port }) => new SandboxStartError({ code, host, port })
  )

const eventLoopTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

export const make = Effect.fnUntraced(function* (
  address: Port.Address,
  { control, log, respond }: Services
) {
  const run = yield* FiberSet.makeRuntime()
  const server = Http.createServer()
  // A keep-alive time-out could close a connection while the client writes: a fault that no test
  // set.
  server.keepAliveTimeout = 0

  const serveControl = (
    incoming: Incoming,
    request: Http.IncomingMessage,
    outgoing: Http.ServerResponse
  ) => {
    const fiber = run(
      Effect.andThen(
        readBody(request, incoming.body),
        Effect.acquireUseRelease(
          control.respond(incoming),
          (response) => write(response, outgoing, writeEvent(outgoing)),
          discard
        )
        // Cancelling the stream of a disconnected reader fails, too.
      ).pipe(Effect.catchCause(() => Effect.sync(() => request.socket.resetAndDestroy())))
    )
    outgoing.once("close", () => fiber.interruptUnsafe())
  }

  const serve = (
    incoming: Incoming,
    request: Http.IncomingMessage,
    outgoing: Http.ServerResponse
  ) => {
    const entry = log.begin(incoming)
    const reset = () => {
      entry.finished()
      request.socket.resetAndDestroy()
    }
    const fiber = run(
      readBody(request, incoming.body).pipe(
        Effect.andThen(Effect.sync(entry.arrived)),
        Effect.andThen(Effect.suspend(() => respond(incoming, entry))),
        Effect.flatMap((response) => write(response, outgoing, writeChunk(outgoing))),
        Effect.catchTag("ConnectionReset", () => Effect.sync(reset))
      )
    )
    outgoing.once("finish", entry.finished)
    outgoing.once("close", () => {
      entry.disconnected()
      fiber.interruptUnsafe()
    })
  }

  server.on("request", (request, outgoing) => {
    const incoming = {
      method: request.method ?? "",
      url: request.url ?? "",
      headers: headersOf(request),
      body: new Body()
    }
    const handler = control.handles(incoming) ? serveControl : serve
    handler(incoming, request, outgoing)
  })

  let isClosed = false
  const url = yield* Effect.acquireRelease(listen(server, address), () =>
    Effect.sync(() => {
      isClosed = true
      server.close()
      server.closeAllConnections()
    })
  )
  const nodeServer: NodeServer = {
    url,
    // A client in this process notices closed connections within two turns of the event loop.
    // Before that, it would reuse one of them and get a reset instead of a refused connection.
    close: Effect.suspend(() =>
      server.listening
        ? Effect.sync(() => server.close()).pipe(
            Effect.andThen(eventLoopTurn),
            Effect.andThen(eventLoopTurn)
          )
        : Effect.void
    ),
    open: Effect.suspend(() =>
      server.listening || isClosed
        ? Effect.void
        : Effect.asVoid(listen(server, { ...address, port: Number(new URL(url).port) }))
    )
  }
  return nodeServer
})
