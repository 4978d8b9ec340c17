/** Serves the sandbox on a real HTTP server. */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Stream from "effect/Stream"
import * as Http from "node:http"
import * as Port from "./Port.ts"
import { Body, bodyOf } from "../http/Body.ts"
import type { App } from "./App.ts"

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

const write = (outgoing: Http.ServerResponse) =>
  Effect.fnUntraced(function* (response: Response) {
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    // Without this, the headers would wait for the first bytes of the body.
    outgoing.flushHeaders()
    yield* Stream.runForEach(bodyOf(response), writeChunk(outgoing))
    yield* Effect.callback<void>((resume) => {
      outgoing.end(() => resume(Effect.void))
    })
  })

/** Returns the address, without a slash at the end. */
export const make = Effect.fnUntraced(function* (address: Port.Address, app: App) {
  const run = yield* FiberSet.makeRuntime()
  const server = Http.createServer()
  // A keep-alive time-out could close a connection while the client writes: a fault that no test
  // set.
  server.keepAliveTimeout = 0

  server.on("request", (request, outgoing) => {
    const incoming = {
      method: request.method ?? "",
      url: request.url ?? "",
      headers: headersOf(request),
      body: new Body()
    }
    const served = app(incoming, readBody(request, incoming.body), write(outgoing))
    const fiber = run(
      Effect.catch(served, () => Effect.sync(() => request.socket.resetAndDestroy()))
    )
    outgoing.once("close", () => {
      // A complete response also ends with this event.
      if (!outgoing.writableFinished) fiber.interruptUnsafe()
    })
  })

  return yield* Effect.acquireRelease(Port.listen(server, address), () => Port.close(server))
})
