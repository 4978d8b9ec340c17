/** A minimal HTTP transport, which makes one request, and the attempts over it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type {
  Received,
  ResponseHeaders,
  AttemptFailure,
  AttemptOptions,
  Transport,
  WireRequest
} from "../call/Transport.ts"
import { Attempt, type Decompress } from "./Attempt.ts"

/** The callbacks of a wire, in this order. After `end`, `fail` or an abort, none is called. */
export interface WireHandlers {
  /**
   * The request is about to start. Returns whether it may. If `false`, it never starts, and the wire
   * calls `fail`.
   */
  readonly start: () => boolean
  /** Status and headers of the response. Not called for an interim response (1xx). */
  readonly head: (status: number, headers: ResponseHeaders) => void
  readonly data: (chunk: Uint8Array) => void
  readonly end: () => void
  /** `started` says whether the request may have started. */
  readonly fail: (error: unknown, started: boolean) => void
}

export interface WireControl {
  /** Aborts the request. If it did not start yet, it never starts. */
  readonly abort: () => void
  /** Whether the request may have started. */
  readonly hasStarted: () => boolean
}

export interface Wire {
  /** The headers of every request. The caller adds them, once for many requests. */
  readonly headers: Readonly<Record<string, string>>
  /** Returns how to decompress a body, if the wire itself does not. */
  readonly decompressOf?: (headers: ResponseHeaders) => Decompress | undefined
  /** Starts the request. It does not throw. */
  readonly start: (request: WireRequest, handlers: WireHandlers) => WireControl
}

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

/** One request on a wire, with its time-out. */
class TimedRequest implements WireHandlers {
  readonly #wire: Wire
  readonly #options: AttemptOptions
  readonly #attempt: Attempt
  readonly #resume: (effect: Effect.Effect<Received, AttemptFailure>) => void
  #control: WireControl | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #decompress: Decompress | undefined
  /** Whether the program refused the start of the request. */
  #isRefused = false
  #isOver = false

  constructor(
    wire: Wire,
    request: WireRequest,
    options: AttemptOptions,
    hasTimer: boolean,
    resume: (effect: Effect.Effect<Received, AttemptFailure>) => void
  ) {
    this.#wire = wire
    this.#options = options
    this.#attempt = new Attempt(options)
    this.#resume = resume
    // @effect-diagnostics-next-line globalTimers:off -- for the default clock only; saves a fiber
    if (hasTimer) this.#timer = setTimeout(() => this.timeOutSoon(), options.timeoutMillis)
    this.#control = wire.start(request, this)
    if (this.#isOver) this.#control.abort()
  }

  #finish(end: Effect.Effect<Received, AttemptFailure>): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#resume(end)
  }

  /** After a process stood still, its timers run before it reads what has arrived: two turns read it. */
  timeOutSoon(): void {
    nextTurn(() => nextTurn(() => this.#timeOut()))
  }

  #timeOut(): void {
    if (this.#isOver) return
    const end = this.#attempt.timeOut(this.#control?.hasStarted() ?? false)
    this.#control?.abort()
    this.#finish(end)
  }

  start(): boolean {
    this.#isRefused = !this.#options.onStart()
    return !this.#isRefused
  }

  head(status: number, headers: ResponseHeaders): void {
    if (this.#isOver) return
    this.#decompress = this.#wire.decompressOf?.(headers)
    this.#attempt.head(status, headers)
  }

  data(chunk: Uint8Array): void {
    if (this.#isOver || this.#attempt.data(chunk)) return
    this.#control?.abort()
    this.#finish(this.#attempt.end())
  }

  end(): void {
    if (!this.#isOver) this.#finish(this.#attempt.end(this.#decompress))
  }

  fail(error: unknown, started: boolean): void {
    if (this.#isOver) return
    const isRefused = this.#isRefused && !started
    this.#finish(isRefused ? Effect.interrupt : this.#attempt.fail(error, started))
  }

  interrupt(): Effect.Effect<void> {
    return Effect.sync(() => {
      this.#isOver = true
      clearTimeout(this.#timer)
      this.#control?.abort()
    })
  }
}

/** Makes a transport of a wire. */
export const transportOver = (wire: Wire): Transport["Service"] => ({
  headers: wire.headers,
  reportsStart: true,
  send: (request, options) =>
    Clock.clockWith((clock) => {
      const hasTimer = clock === platformClock && options.timeoutMillis <= maxTimerMillis
      let started: TimedRequest | undefined
      const sending = Effect.callback<Received, AttemptFailure>((resume) => {
        started = new TimedRequest(wire, request, options, hasTimer, resume)
        return started.interrupt()
      })
      if (hasTimer) return sending
      const timer = Effect.flatMap(Effect.sleep(options.timeoutMillis), () => {
        started?.timeOutSoon()
        return Effect.never
      })
      return Effect.raceFirst(sending, timer)
    })
})
