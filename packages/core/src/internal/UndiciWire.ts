/**
 * The wire over undici's `dispatch`.
 *
 * undici calls `onRequestStart` before it writes the first byte, so a failure before that call means
 * that nothing left. A dispatcher that retries would resend: the wire needs a plain one.
 */
import type { Dispatcher } from "undici"
import { type Decoding, decoding } from "./ContentCoding.ts"
import type { Wire, WireControl, WireHandlers, WireRequest } from "./Wire.ts"

/** Not undici's own limits: the time-out of the attempt covers everything. */
const noTimeouts = { headersTimeout: 0, bodyTimeout: 0 }

type RawHeaders = Readonly<Record<string, string | Array<string> | undefined>>

const pairs = (headers: RawHeaders) =>
  Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value): [string, string] => [name, value])
  )

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error("not dispatched")

/** For what was given up, so that a request that still waits holds on to nothing. */
const nobody: WireHandlers = {
  start: () => {},
  head: () => {},
  data: () => {},
  end: () => {},
  fail: () => {}
}

const proxyRefusal = "Proxy Authentication Required (407)"

class Exchange implements Dispatcher.DispatchHandler, WireControl {
  #handlers: WireHandlers
  /** Until the request starts. */
  #waiting: Dispatcher.DispatchOptions | undefined
  #controller: Dispatcher.DispatchController | undefined
  #decoding: Decoding | undefined
  #hasBodyEnded = false
  #isOver = false

  constructor(handlers: WireHandlers) {
    this.#handlers = handlers
  }

  readonly hasStarted = (): boolean => this.#controller !== undefined

  readonly giveUp = (): void => {
    this.#isOver = true
    this.#handlers = nobody
    this.#decoding?.stop()
    this.#controller?.abort(new Error("given up"))
    this.#blank()
  }

  /** undici keeps a request that was given up in its queue, until a connection is free. */
  #blank(): void {
    if (this.#waiting === undefined) return
    this.#waiting.path = "/"
    this.#waiting.headers = {}
    this.#waiting.body = null
    this.#waiting = undefined
  }

  readonly pause = (): void => (this.#decoding ?? this.#controller)?.pause()

  readonly resume = (): void => (this.#decoding ?? this.#controller)?.resume()

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver) controller.abort(new Error("given up"))
    else this.#start(controller)
  }

  #start(controller: Dispatcher.DispatchController): void {
    if (this.#controller !== undefined) return
    this.#controller = controller
    this.#waiting = undefined
    this.#handlers.start()
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: RawHeaders
  ): void {
    if (this.#isOver || status < 200) return
    // A dispatcher that is not undici's own may skip the start.
    this.#start(controller)
    const get = (name: string) => [headers[name]].flat()[0]
    this.#decoding = decoding(get("content-encoding"), {
      data: (chunk) => this.#data(chunk),
      end: () => this.#endOfCoding(controller),
      fail: (error) => {
        this.#fail(error)
        controller.abort(error)
      },
      full: () => controller.pause(),
      drained: () => controller.resume()
    })
    this.#handlers.head(status, { get, all: () => new Headers(pairs(headers)) })
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    // undici starts each resumption with an empty one, which no reader needs: one that pauses after
    // every chunk would turn in a circle.
    if (chunk.length === 0) return
    if (this.#decoding === undefined) this.#data(chunk)
    else if (!this.#isOver) this.#decoding.data(chunk)
  }

  onResponseEnd(): void {
    this.#hasBodyEnded = true
    // In here the connection still counts as busy: a call that follows at once would open another.
    queueMicrotask(() => {
      if (this.#decoding === undefined) this.#end()
      else if (!this.#isOver) this.#decoding.end()
    })
  }

  onResponseError(_: unknown, error: unknown): void {
    const known = asError(error)
    // A proxy for http that wants credentials passed nothing on, and is told by this message alone.
    if (known.message === proxyRefusal) {
      this.#fail(Object.assign(new Error(proxyRefusal), { code: "PROXY_AUTHENTICATION" }), false)
    } else this.#fail(known)
  }

  /** A body that goes on after its coding may never end, and would keep the connection. */
  #endOfCoding(controller: Dispatcher.DispatchController): void {
    this.#end()
    if (!this.#hasBodyEnded) controller.abort(new Error("the body goes on after its coding"))
  }

  #data(chunk: Uint8Array): void {
    if (!this.#isOver) this.#handlers.data(chunk)
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#handlers.end()
  }

  #fail(error: Error, hasStarted = this.hasStarted()): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#decoding?.stop()
    this.#handlers.fail(error, hasStarted)
  }

  dispatchOn(dispatcher: Dispatcher, { body, headers, method, origin, path }: WireRequest): void {
    if (this.#isOver) return
    const options = {
      origin,
      path,
      method,
      headers,
      body: body ?? null,
      allowH2: false,
      ...noTimeouts
    }
    this.#waiting = options
    try {
      dispatcher.dispatch(options, this)
    } catch (error) {
      // What undici cannot send, it may throw.
      this.onResponseError(undefined, error)
    }
  }
}

export interface LazyDispatcher {
  /** Absent until it was loaded. */
  readonly current: () => Dispatcher | undefined
  readonly load: () => Promise<Dispatcher>
}

/** The dispatcher is loaded with the first request. `headers` go with each. */
export const make =
  ({ current, load }: LazyDispatcher, headers: Readonly<Record<string, string>>): Wire =>
  (given, handlers) => {
    const request = { ...given, headers: { ...headers, ...given.headers } }
    const exchange = new Exchange(handlers)
    const dispatcher = current()
    if (dispatcher !== undefined) exchange.dispatchOn(dispatcher, request)
    else {
      load().then(
        (loaded) => exchange.dispatchOn(loaded, request),
        (error: unknown) => exchange.onResponseError(undefined, error)
      )
    }
    return exchange
  }
