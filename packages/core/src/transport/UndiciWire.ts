/**
 * The wire over undici's `dispatch`.
 *
 * undici calls `onRequestStart` before it writes the first byte, so a failure before that call
 * means that the request did not start. The dispatcher must not retry, because it would resend.
 */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib"
import type { Dispatcher } from "undici"
import type { ResponseHeaders, WireRequest } from "../call/Transport.ts"
import {
  bytesOf,
  type Decompress,
  userAgent,
  type Wire,
  type WireControl,
  type WireHandlers
} from "./Wire.ts"

/** Turns off undici's own time-outs: the time-out of the request covers everything. */
const noTimeouts = { headersTimeout: 0, bodyTimeout: 0 }

type RawHeaders = Readonly<Record<string, string | Array<string> | undefined>>

const received = (headers: RawHeaders): ResponseHeaders => ({
  get: (name) => {
    const value = headers[name]
    // Asked twice for each response: a list is not worth flattening here.
    return Array.isArray(value) ? value[0] : value
  },
  [Symbol.iterator]: () =>
    Object.entries(headers)
      .map(([name, value]) => [name, String(value)] as const)
      .values()
})

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error("not dispatched")

/** The handlers of an aborted request, so that undici's queue does not keep the real ones in memory. */
const noHandlers: WireHandlers = {
  start: () => false,
  head: () => {},
  data: () => {},
  end: () => {},
  fail: () => {}
}

/** What undici makes of a 407 that comes through a proxy for http. Only the message identifies it. */
const proxyRefusal = "Proxy Authentication Required (407)"

class UndiciRequest implements Dispatcher.DispatchHandler, WireControl {
  #handlers: WireHandlers
  /** The request while it waits to start. */
  #waiting: Dispatcher.DispatchOptions | undefined
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false

  constructor(handlers: WireHandlers) {
    this.#handlers = handlers
  }

  hasStarted(): boolean {
    return this.#controller !== undefined
  }

  abort(): void {
    this.#isOver = true
    this.#handlers = noHandlers
    this.#controller?.abort(new Error("aborted"))
    this.#clearWaiting()
  }

  /**
   * undici keeps an aborted request in its queue until a connection is free, so its content is
   * removed.
   */
  #clearWaiting(): void {
    if (this.#waiting === undefined) return
    this.#waiting.path = "/"
    this.#waiting.headers = {}
    this.#waiting.body = null
    this.#waiting = undefined
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver) controller.abort(new Error("aborted"))
    else if (!this.#start(controller)) {
      this.#controller = undefined
      const refusal = new Error("the start was refused")
      this.#fail(refusal)
      // undici drops a request whose handler throws here. An abort would also close the connection.
      throw refusal
    }
  }

  #start(controller: Dispatcher.DispatchController): boolean {
    if (this.#controller !== undefined) return true
    this.#controller = controller
    this.#waiting = undefined
    return this.#handlers.start()
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: RawHeaders
  ): void {
    if (status >= 200) this.#respond(controller, status, headers)
  }

  #respond(controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    if (this.#isOver) return
    // A dispatcher that is not from undici may not call `onRequestStart`. What has a response was
    // started, so a refusal comes too late.
    this.#start(controller)
    this.#handlers.head(status, () => received(headers))
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return
    // A dispatcher that is made by hand can give another view.
    this.#handlers.data(chunk instanceof Uint8Array ? chunk : bytesOf(chunk))
  }

  onResponseEnd(): void {
    // The program goes on after undici is done with the request, because it may close the connections. undici lends a
    // connection again one turn later, so calls that follow each other use two.
    queueMicrotask(() => {
      if (this.#isOver) return
      this.#isOver = true
      this.#handlers.end()
    })
  }

  onResponseError(controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    const failure = asError(error)
    // The 407 may be the service's own, and its body still follows.
    if (controller !== undefined && failure.message === proxyRefusal) {
      this.#respond(controller, 407, {})
    } else this.#fail(failure)
  }

  #fail(error: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#handlers.fail(error, this.hasStarted())
  }

  dispatchOn(dispatcher: Dispatcher, { body, headers, method, origin, path }: WireRequest): void {
    if (this.#isOver) return
    const options = {
      origin,
      path,
      method,
      // An interceptor can change them, and the next call uses them again.
      headers: { ...headers },
      body: body ?? null,
      allowH2: false,
      ...noTimeouts
    }
    this.#waiting = options
    try {
      dispatcher.dispatch(options, this)
    } catch (error) {
      // undici may throw for a request that it cannot send.
      this.onResponseError(undefined, error)
    }
  }
}

/** Some servers send "deflate" with a zlib header (low four bits of the first byte are 8), some without. */
const inflate: Decompress = (bytes, limit) =>
  ((bytes[0] ?? 0) & 0x0f) === 0x08 ? inflateSync(bytes, limit) : inflateRawSync(bytes, limit)

const decompressors: ReadonlyMap<string, Decompress> = new Map([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["deflate", inflate],
  ["br", brotliDecompressSync]
])

/** The value of the `Accept-Encoding` header. */
const acceptEncoding = "gzip, deflate, br"

/** Returns `undefined` if the body is not compressed, or in a way that is not supported. */
const decompressOf = (headers: ResponseHeaders): Decompress | undefined => {
  const coding = headers.get("content-encoding")
  return coding === undefined || coding === null
    ? undefined
    : decompressors.get(coding.trim().toLowerCase())
}

export const undiciWire = (dispatcher: Dispatcher, userAgentSuffix?: string): Wire => ({
  headers: { "user-agent": userAgent(userAgentSuffix), "accept-encoding": acceptEncoding },
  decompressOf,
  start: (request, handlers) => {
    const started = new UndiciRequest(handlers)
    started.dispatchOn(dispatcher, request)
    return started
  }
})
