/** The wire over `fetch`. */
import * as Predicate from "effect/Predicate"
import type { WireRequest } from "../call/Transport.ts"
import { failureCode, userAgent } from "./Attempt.ts"
import type { Wire, WireControl, WireHandlers } from "./Wire.ts"

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

const start = (
  fetch: Fetch,
  { body, headers, method, origin, path }: WireRequest,
  handlers: WireHandlers
): WireControl => {
  const controller = new AbortController()
  let isOver = false
  let hasStarted = handlers.start()

  const fail = (error: unknown): void => {
    if (isOver) return
    isOver = true
    hasStarted = hasStarted && !wasRefused(fetch, error)
    handlers.fail(error, hasStarted)
  }

  const read = (from: ReadableStreamDefaultReader<Uint8Array>): Promise<void> =>
    from.read().then(({ done, value }) => {
      if (isOver) return undefined
      if (done) return end()
      // A test can stream texts.
      if (!ArrayBuffer.isView(value)) throw new TypeError("no bytes")
      handlers.data(value)
      return read(from)
    })

  const end = (): void => {
    if (isOver) return
    handlers.end()
    isOver = true
  }

  const readWhole = (bytes: ArrayBuffer): void => {
    if (!isOver) handlers.data(new Uint8Array(bytes))
    end()
  }

  const onResponse = (response: Response) => {
    if (isOver) return undefined
    const { body: received, headers: given, status } = response
    // A test can make a response by hand.
    if (!Predicate.hasProperty(given, "get")) throw new TypeError("no headers")
    handlers.head(status, given)
    if (received === null) return end()
    // node-fetch has a stream of Node there, and cross-fetch in a browser nothing.
    return Predicate.hasProperty(received, "getReader")
      ? read(received.getReader())
      : response.arrayBuffer().then(readWhole)
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

  return {
    hasStarted: () => hasStarted,
    abort: () => {
      isOver = true
      controller.abort()
    }
  }
}

/** Without `own`, the platform's is looked up for each request, because programs replace it. */
export const fetchWire = (own?: Fetch): Wire => ({
  headers: ownHeaders,
  start: (request, handlers) => start(own ?? globalThis.fetch, request, handlers)
})
