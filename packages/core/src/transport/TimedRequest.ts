/** One request over a wire: its time-out, the maximum of its body, and its errors. */
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import {
  type RequestFailure,
  type RequestOptions,
  type Received,
  type ResponseHeaders,
  type Transport,
  type WireRequest
} from "../call/Transport.ts"
import {
  ConnectionFailed,
  ConnectionLost,
  InvalidInput,
  RequestTimedOut
} from "../errors/ClientFailures.ts"
import { failureCode, type Wire, type WireControl, type WireHandlers } from "./Wire.ts"

type End = Effect.Effect<Received, RequestFailure>

/** The code of Node's error for a body that is longer than the maximum. */
const tooLarge = "ERR_BUFFER_TOO_LARGE"

/** The code of undici's error for a path or a header that it cannot write. */
const unwritable = "UND_ERR_INVALID_ARG"

/** The default clock. A program can provide another one. */
const platformClock = Effect.runSync(Clock.Clock)

/** The maximum delay of a platform timer. */
const maxTimerMillis = 2 ** 31 - 1

interface Runtime {
  readonly setImmediate?: (then: () => void) => unknown
}

const { setImmediate: immediate }: Runtime = globalThis

/** Runs after what the event loop reads next. Not every runtime has `setImmediate`. */
const nextTurn: (then: () => void) => unknown = immediate ?? setTimeout

const noHeaders: ResponseHeaders = new Map()
const noBytes = new Uint8Array(0)

/** One request on a wire. It keeps the status and the headers if the body is lost. */
class TimedRequest implements WireHandlers {
  readonly #wire: Wire
  readonly #options: RequestOptions
  readonly #resume: (end: End) => void
  #control: WireControl | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #head: { readonly status: number; headers: ResponseHeaders } | undefined
  #bytes: Uint8Array = noBytes
  #length = 0
  /** Whether the program refused the start of the request. */
  #isRefused = false
  #isOver = false

  /** Starts the request, in the context of its call. */
  constructor(
    wire: Wire,
    request: WireRequest,
    options: RequestOptions,
    context: Context.Context<never>,
    hasTimer: boolean,
    resume: (end: End) => void
  ) {
    this.#wire = wire
    this.#options = options
    this.#resume = resume
    // @effect-diagnostics-next-line globalTimers:off -- for the default clock only; saves a fiber
    if (hasTimer) this.#timer = setTimeout(() => this.timeOutSoon(), options.timeoutMillis)
    this.#control = wire.start(request, this, context)
    if (this.#isOver) this.#control.abort()
  }

  start(): boolean {
    this.#isRefused = !this.#options.onStart()
    return !this.#isRefused
  }

  head(status: number, readHeaders: () => ResponseHeaders): void {
    if (this.#isOver) return
    // That of a response that is made by hand can be anything.
    if (!Number.isSafeInteger(status)) throw new TypeError("no status")
    const head = { status, headers: noHeaders }
    this.#head = head
    this.#options.onHead(head)
    head.headers = readHeaders()
  }

  data(chunk: Uint8Array): void {
    if (this.#isOver) return
    const from = this.#length
    this.#length += chunk.length
    if (from === 0) {
      // Without a copy, because most bodies have only one chunk.
      this.#bytes = chunk
    } else {
      if (this.#length > this.#bytes.length) {
        const smaller = this.#bytes
        // Twice the length, so that a body of many small chunks is not copied for each of them.
        this.#bytes = new Uint8Array(2 * this.#length)
        this.#bytes.set(smaller)
      }
      this.#bytes.set(chunk, from)
    }
    const { maxBodyBytes } = this.#options
    if (this.#length <= maxBodyBytes) return
    this.#control?.abort()
    this.#receive(this.#bytes.subarray(0, maxBodyBytes), true)
  }

  end(): void {
    if (this.#isOver) return
    const bytes = this.#arrived()
    const decompress = this.#wire.decompressOf?.(this.#head?.headers ?? noHeaders)
    if (decompress === undefined || bytes.length === 0) return this.#receive(bytes)
    try {
      this.#receive(decompress(bytes, { maxOutputLength: this.#options.maxBodyBytes }))
    } catch (error) {
      if (failureCode(error) === tooLarge) this.#receive(noBytes, true)
      else this.fail(error, true)
    }
  }

  fail(error: unknown, started: boolean): void {
    const { operation } = this.#options
    const code = failureCode(error)
    const coded = code === undefined ? {} : { code }
    // What has a response was started, whatever the platform calls the error of its body.
    if (started || this.#head !== undefined) {
      return this.#breakOff(new ConnectionLost({ operation, ...coded, ...this.#status() }))
    }
    const failure =
      code === unwritable
        ? new InvalidInput({ operation, field: "request", problem: "the transport cannot send it" })
        : new ConnectionFailed({ operation, ...coded })
    this.#finish(this.#isRefused ? Effect.interrupt : Effect.fail(failure))
  }

  /** After a process stood still, its timers run before it reads what has arrived: two turns read it. */
  timeOutSoon(): void {
    nextTurn(() => nextTurn(() => this.#timeOut()))
  }

  #timeOut(): void {
    if (this.#isOver) return
    const { operation, timeoutMillis } = this.#options
    const started = this.#control?.hasStarted() ?? false
    this.#control?.abort()
    this.#breakOff(new RequestTimedOut({ operation, timeoutMillis, started, ...this.#status() }))
  }

  interrupt(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#isOver = true
      clearTimeout(this.#timer)
      this.#control?.abort()
      return this.#control?.ended ?? Effect.void
    })
  }

  /** That of the response, for an error. */
  #status(): { readonly status?: number } {
    return this.#head === undefined ? {} : { status: this.#head.status }
  }

  #arrived(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** A body that broke off can be enough. */
  #breakOff(failure: RequestFailure): void {
    const bytes = this.#arrived()
    if (this.#head === undefined || this.#options.needsRest(this.#head.status, bytes)) {
      this.#finish(Effect.fail(failure))
    } else this.#receive(bytes)
  }

  #receive(bytes: Uint8Array, truncated = false): void {
    if (this.#head === undefined) this.fail(undefined, true)
    else this.#finish(Effect.succeed({ ...this.#head, body: { bytes, truncated } }))
  }

  #finish(end: End): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#resume(end)
  }
}

/** Makes a transport of a wire. */
export const transportOver = (wire: Wire): Transport["Service"] => ({
  headers: wire.headers,
  reportsStart: true,
  send: (request, options) =>
    Effect.withFiber((fiber) => {
      const { timeoutMillis } = options
      const hasTimer =
        fiber.getRef(Clock.Clock) === platformClock && timeoutMillis <= maxTimerMillis
      let started: TimedRequest | undefined
      const sending: End = Effect.callback((resume) => {
        started = new TimedRequest(wire, request, options, fiber.context, hasTimer, resume)
        return started.interrupt()
      })
      if (hasTimer) return sending
      const timer = Effect.flatMap(Effect.sleep(timeoutMillis), () => {
        started?.timeOutSoon()
        return Effect.never
      })
      return Effect.raceFirst(sending, timer)
    })
})
