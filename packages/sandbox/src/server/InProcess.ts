/** A `fetch` function that calls the sandbox without sockets. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Engine } from "../Engine.ts"
import { Body, ConnectionReset } from "../http/Body.ts"

/** As with `node:http`. The router's time to decode a path grows with the square of its length. */
const maxUrlBytes = 16 * 1024

/** An error of `fetch`, with the properties that it has in Node. */
const failed = (message: string, reason: string, code: string, syscall: string): TypeError =>
  new TypeError(message, { cause: Object.assign(new Error(reason), { code, syscall }) })

const hostNotFound = (host: string): TypeError =>
  failed("fetch failed", `getaddrinfo ENOTFOUND ${host}`, "ENOTFOUND", "getaddrinfo")

const reset = (message: string): TypeError =>
  failed(message, "read ECONNRESET", "ECONNRESET", "read")

/** Hands the response to the client, and ends when its body is read to the end or given up. */
const handOver =
  (resolve: (response: Response) => void, signal: AbortSignal) => (response: Response) =>
    Effect.callback<void, ConnectionReset>((resume) => {
      if (response.body === null) {
        resolve(response)
        return resume(Effect.void)
      }
      const reader = response.body.getReader()
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start: (controller) => {
          const abort = () => controller.error(signal.reason)
          signal.addEventListener("abort", abort, { once: true })
        },
        pull: (controller) =>
          reader.read().then(
            ({ done, value }) => {
              if (!done) return controller.enqueue(value)
              resume(Effect.void)
              controller.close()
            },
            () => {
              resume(Effect.fail(new ConnectionReset()))
              controller.error(reset("terminated"))
            }
          ),
        cancel: () => {
          resume(Effect.interrupt)
          return reader.cancel()
        }
      })
      resolve(new Response(body, response))
      return Effect.promise(() => reader.cancel())
    })

export const make = Effect.fnUntraced(function* (baseUrl: string, engine: Engine) {
  const run = Effect.runForkWith(yield* Effect.context())

  const fetch: typeof globalThis.fetch = (input, init) => {
    const request = new Request(input, init)
    const { signal } = request
    const { hostname, origin, pathname, search } = new URL(request.url)
    const body = new Body()
    const incoming = {
      method: request.method,
      url: pathname + search,
      headers: Object.fromEntries(request.headers),
      body
    }
    const arrive = Effect.map(
      Effect.promise(() => request.arrayBuffer()),
      (bytes) => body.add(new Uint8Array(bytes))
    )
    if (origin !== baseUrl) return Promise.reject(hostNotFound(hostname))
    if (incoming.url.length > maxUrlBytes) {
      return Promise.resolve(new Response(null, { status: 431 }))
    }
    return new Promise((resolve, reject) => {
      const fiber = run(engine.serve(incoming, arrive, handOver(resolve, signal)))
      const abort = () => {
        fiber.interruptUnsafe()
        reject(signal.reason)
      }
      if (signal.aborted) abort()
      signal.addEventListener("abort", abort, { once: true })
      // After the response was handed over, this has no effect.
      fiber.addObserver((exit) => {
        if (Exit.isFailure(exit)) reject(reset("fetch failed"))
      })
    })
  }
  return fetch
})
