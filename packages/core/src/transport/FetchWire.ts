/**
 * The wire over the platform's `fetch`.
 *
 * `fetch` does not say whether the request started. Only failures that are known to come before the
 * first byte count as not started, and only those of a `fetch` that is known to send once: another
 * one may have sent, tried again, and report only its last error.
 */
import type { WireRequest } from "../call/WireRequest.ts"
import { isConnectFailure } from "./ConnectPhase.ts"
import { userAgent } from "./UserAgent.ts"
import type { Wire, WireHandlers } from "./Wire.ts"

type Fetch = typeof globalThis.fetch

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** A browser sets its own User-Agent, and another value would cost a CORS preflight request. */
const inBrowser = (): boolean => globalThis.navigator?.userAgent?.startsWith("Mozilla/") ?? false

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

/**
 * Returns whether this is Node's own `fetch`, or Bun's. Their source texts differ from those of a
 * wrapper and of a proxy. Bun shows that of a bound function, but its name differs. workerd sends once,
 * too, but never says that a connection was refused. Deno and browsers resend.
 */
const sendsOnce = (fetch: Fetch): boolean => {
  const source = Function.prototype.toString.call(fetch)
  return bun === undefined
    ? source.includes("require('internal/deps/undici/undici')")
    : fetch.name === "fetch" && /^function fetch\(\) \{\s+\[native code\]\s+\}$/.test(source)
}

/** Bun would decompress zstd as a whole: 32 KB of it take 1.4 GB before any maximum applies. */
const ownHeaders = () =>
  inBrowser()
    ? {}
    : {
        "user-agent": userAgent(),
        ...(bun === undefined ? {} : { "accept-encoding": "identity" })
      }

const start = (
  fetch: Fetch,
  isPlatforms: boolean,
  { body, headers, method, origin, path }: WireRequest,
  handlers: WireHandlers
) => {
  const controller = new AbortController()
  let isOver = false
  let hasStarted = handlers.start()
  let reader: Reader | undefined
  let resumed: Promise<void> | undefined
  let continueReading: (() => void) | undefined

  const fail = (error: unknown): void => {
    if (isOver) return
    isOver = true
    hasStarted = hasStarted && !(isPlatforms && sendsOnce(fetch) && isConnectFailure(error))
    handlers.fail(error, hasStarted)
  }

  const read = (from: Reader): Promise<void> =>
    from.read().then(({ done, value }) => {
      if (isOver) return undefined
      if (done) {
        isOver = true
        return handlers.end()
      }
      handlers.data(value)
      return resumed === undefined ? read(from) : resumed.then(() => read(from))
    })

  const onWhole = (bytes: ArrayBuffer): void => {
    if (!isOver) handlers.data(new Uint8Array(bytes))
    // The body may have been too long.
    if (isOver) return
    isOver = true
    handlers.end()
  }

  const onResponse = (response: Response): Promise<void> | undefined => {
    if (isOver) return undefined
    const { headers: responseHeaders } = response
    handlers.head(response.status, {
      get: (name) => responseHeaders.get(name) ?? undefined,
      all: () => responseHeaders
    })
    // There is none, or the platform has no streams, as React Native.
    if (!response.body) return response.arrayBuffer().then(onWhole)
    reader = response.body.getReader()
    return read(reader)
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
      continueReading?.()
      controller.abort()
    },
    pause: () => {
      resumed ??= new Promise((resolve) => {
        continueReading = resolve
      })
    },
    resume: () => {
      resumed = undefined
      continueReading?.()
    }
  }
}

/**
 * Uses the program's own `fetch`, which is never trusted to send once, or the platform's. The latter is
 * looked up for each request, because programs replace it.
 */
export const make = (own?: Fetch): Wire => ({
  headers: ownHeaders(),
  start: (request, handlers) => start(own ?? globalThis.fetch, own === undefined, request, handlers)
})
