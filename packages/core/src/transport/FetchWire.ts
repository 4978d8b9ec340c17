/** The wire over `fetch`. */
import * as Predicate from "effect/Predicate"
import type { ResponseHeaders, WireRequest } from "../call/Transport.ts"
import {
  bytesOf,
  failureCode,
  textsOf,
  userAgent,
  type Wire,
  type WireControl,
  type WireHandlers
} from "./Wire.ts"

export type Fetch = typeof globalThis.fetch

interface Runtime {
  readonly Bun?: { readonly version: string }
  readonly fetch: Fetch
}

const { Bun: bun }: Runtime = globalThis

/**
 * Bun before 1.3.14 resends a POST when a reused connection breaks. With `keepalive: false`, it uses
 * a new connection, and sends once.
 */
const mayResend =
  bun !== undefined && bun.version.localeCompare("1.3.14", "en", { numeric: true }) < 0

/** The names of a refused connection, before Bun 1.4 and since. */
const refusedCodes: ReadonlySet<string | undefined> = new Set(["ConnectionRefused", "ECONNREFUSED"])

/**
 * `fetch` does not say whether the request started. Only Bun's own names a refused connection, and sends
 * once. A wrapper of it may have sent, tried again, and report only its last error; Node's sends again after
 * a 421. The source text of a wrapper differs, and so does the name of a bound function.
 */
const wasRefused = (fetch: Fetch, error: unknown): boolean =>
  bun !== undefined &&
  refusedCodes.has(failureCode(error)) &&
  fetch.name === "fetch" &&
  /^function fetch\(\) \{\s+\[native code\]\s+\}$/.test(Function.prototype.toString.call(fetch))

/** Bun would decompress zstd as a whole: 32 KB of it take 1.4 GB before any maximum applies. */
const ownHeaders = {
  "user-agent": userAgent(),
  ...(bun === undefined ? {} : { "accept-encoding": "identity" })
}

/** The headers of a response that is made by hand may have nothing but a `get`. */
const headersOf = (given: Headers): ResponseHeaders =>
  textsOf([...Array.from(given), ["retry-after", given.get("retry-after")]])

const start = (
  fetch: Fetch,
  { body, headers, method, origin, path }: WireRequest,
  handlers: WireHandlers
): WireControl => {
  const controller = new AbortController()
  let hasStarted = handlers.start()

  const fail = (error: unknown): void => {
    hasStarted = hasStarted && !wasRefused(fetch, error)
    handlers.fail(error, hasStarted)
  }

  // `Promise.resolve`, because a test can have made its own promises, which do not catch what a callback throws.
  const read = (from: ReadableStreamDefaultReader<Uint8Array>): Promise<void> =>
    Promise.resolve(from.read()).then(({ done, value }) => {
      // A stream that is made by hand may never end.
      if (controller.signal.aborted) return undefined
      if (done) return handlers.end()
      handlers.data(bytesOf(value))
      return read(from)
    })

  const readWhole = (bytes: ArrayBuffer): void => {
    handlers.data(bytesOf(bytes))
    handlers.end()
  }

  const onResponse = (response: Response): Promise<void> | void => {
    handlers.head(response.status, () => headersOf(response.headers))
    const { body: received } = response
    if (received === null) return handlers.end()
    // node-fetch has a stream of Node there, and cross-fetch in a browser nothing.
    return Predicate.hasProperty(received, "getReader")
      ? read(received.getReader())
      : Promise.resolve(response.arrayBuffer()).then(readWhole)
  }

  // Following a redirect turns a POST into a GET, or sends it twice.
  const init = {
    method,
    // A program's own `fetch` can change them, and the next call uses them again.
    headers: { ...headers },
    redirect: "manual",
    signal: controller.signal,
    ...(mayResend ? { keepalive: false } : {}),
    ...(bun === undefined ? {} : { decompress: false })
  } as const
  if (!hasStarted) fail(undefined)
  else {
    // A program can replace the platform's `fetch` with one that throws.
    new Promise<Response>((resolve) => {
      resolve(fetch(origin + path, body === undefined ? init : { ...init, body }))
    })
      .then(onResponse)
      .catch(fail)
  }

  return { hasStarted: () => hasStarted, abort: () => controller.abort() }
}

/** Without `own`, the platform's is looked up for each request, because programs replace it. */
export const fetchWire = (own?: Fetch): Wire => ({
  headers: ownHeaders,
  start: (request, handlers) => start(own ?? globalThis.fetch, request, handlers)
})
