/**
 * A `fetch` function that calls the sandbox without sockets.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Body } from "../http/Incoming.ts"
import type { Responder } from "../service/Responder.ts"
import type { FaultControl } from "../faults/FaultControl.ts"
import { connectionRefused, connectionReset, hostNotFound } from "../faults/FetchFailure.ts"
import type { Entry, RequestLog } from "../record/RequestLog.ts"

interface Services {
  readonly log: RequestLog
  readonly faults: FaultControl
  readonly respond: Responder
}

/** As with `node:http`. The router's time to decode a path grows with the square of its length. */
const maxUrlBytes = 16 * 1024

/** About as much as a socket buffers before the client reads. */
const bufferBytes = 64 * 1024

/**
 * Returns the same response. Records in the log how its body ends, and fails the body on an abort.
 */
const watched = (response: Response, signal: AbortSignal, entry: Entry): Response => {
  if (response.body === null) {
    entry.finished()
    return response
  }
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start: (controller) => {
        const abort = () => {
          entry.disconnected()
          controller.error(signal.reason)
          void reader.cancel()
        }
        signal.addEventListener("abort", abort, { once: true })
      },
      pull: (controller) =>
        reader.read().then(
          ({ done, value }) => {
            if (!done) return controller.enqueue(value)
            entry.finished()
            controller.close()
          },
          (error: unknown) => {
            entry.finished()
            controller.error(error)
          }
        ),
      cancel: () => {
        entry.disconnected()
        return reader.cancel()
      }
    },
    new ByteLengthQueuingStrategy({ highWaterMark: bufferBytes })
  )
  return new Response(body, response)
}

export const make = Effect.fnUntraced(function* (
  baseUrl: string,
  { faults, log, respond: respondTo }: Services
) {
  const context = yield* Effect.context()

  const respond = Effect.fnUntraced(function* (request: Request) {
    const { hostname, origin, pathname, search } = new URL(request.url)
    if (origin !== baseUrl) return yield* Effect.fail(hostNotFound(hostname))
    if ((yield* faults.current)?.fault === "ConnectionRefused")
      return yield* Effect.fail(connectionRefused())
    if (pathname.length + search.length > maxUrlBytes) return new Response(null, { status: 431 })
    const body = new Body()
    const incoming = {
      method: request.method,
      url: pathname + search,
      headers: Object.fromEntries(request.headers),
      body
    }
    const entry = log.begin(incoming)
    return yield* Effect.promise(() => request.arrayBuffer()).pipe(
      Effect.flatMap((bytes) => {
        body.add(new Uint8Array(bytes))
        entry.arrived()
        return respondTo(incoming, entry)
      }),
      Effect.map((response) => watched(response, request.signal, entry)),
      Effect.catchTag("ConnectionReset", () => {
        entry.finished()
        return Effect.fail(connectionReset())
      }),
      Effect.onInterrupt(() => Effect.sync(entry.disconnected))
    )
  })

  const fetch: typeof globalThis.fetch = (input, init) => {
    const request = new Request(input, init)
    const { signal } = request
    return Effect.runPromiseExitWith(context)(respond(request), { signal }).then((exit) => {
      if (Exit.isSuccess(exit)) return exit.value
      return Promise.reject(signal.aborted ? signal.reason : Cause.squash(exit.cause))
    })
  }
  return fetch
})
