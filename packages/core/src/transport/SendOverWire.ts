/**
 * Makes one attempt on a wire. It limits the body, handles the time-out and interruption, and keeps
 * the status and headers if the body is lost.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import {
  type Head,
  type Received,
  type Send,
  type SendFailure,
  type SendOptions,
  type Transport
} from "../call/Send.ts"
import type { WireRequest } from "../call/WireRequest.ts"
import { CollectedBytes } from "./CollectedBytes.ts"
import { connectionFailure, timeoutFailure, withoutBody } from "./SendFailures.ts"
import type { Wire, WireControl, WireHandlers, WireHeaders } from "./Wire.ts"

/** The default clock. A program can provide another one. */
const platformClock = Effect.runSync(Clock.Clock)

/** The maximum delay of a platform timer. */
const maxTimerMillis = 2 ** 31 - 1

class Attempt implements WireHandlers {
  readonly #options: SendOptions
  readonly #resume: (effect: Effect.Effect<Received, SendFailure>) => void
  #control: WireControl | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #head: Head | undefined
  readonly #bytes = new CollectedBytes()
  /** Whether the program refused the start of the request. */
  #isRefused = false
  #isOver = false

  constructor(
    wire: Wire,
    request: WireRequest,
    options: SendOptions,
    hasTimer: boolean,
    resume: (effect: Effect.Effect<Received, SendFailure>) => void
  ) {
    this.#options = options
    this.#resume = resume
    // @effect-diagnostics-next-line globalTimers:off -- for the default clock only; saves a fiber
    if (hasTimer) this.#timer = setTimeout(() => this.#timeOut(), options.timeoutMillis)
    this.#control = wire.start(request, this)
    if (this.#isOver) this.#control.abort()
  }

  #finish(outcome: Effect.Effect<Received, SendFailure>): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#resume(outcome)
  }

  #timeOut(): void {
    if (this.#isOver) return
    const outcome = this.timedOut()
    this.#control?.abort()
    this.#finish(outcome)
  }

  #succeed(truncated: boolean): void {
    if (this.#head === undefined) return
    const body = { bytes: this.#bytes.first(this.#options.maxBodyBytes), truncated }
    this.#finish(Effect.succeed({ ...this.#head, body }))
  }

  start(): boolean {
    this.#isRefused = !this.#options.onStart()
    return !this.#isRefused
  }

  head(status: number, headers: WireHeaders): void {
    if (this.#isOver) return
    this.#head = { status, headers }
    this.#options.onStatus(status)
  }

  data(chunk: Uint8Array): void {
    if (this.#isOver) return
    this.#bytes.add(chunk)
    if (this.#bytes.length <= this.#options.maxBodyBytes) return
    this.#control?.abort()
    this.#succeed(true)
  }

  end(): void {
    if (!this.#isOver) this.#succeed(false)
  }

  fail(error: unknown, started: boolean): void {
    if (this.#isOver) return
    if (this.#isRefused && !started) {
      this.#finish(Effect.interrupt)
      return
    }
    // What has a response was started, whatever the platform calls the error of its body.
    const hasStarted = started || this.#head !== undefined
    const failure = connectionFailure(error, hasStarted, this.#head, this.#options)
    this.#finish(withoutBody(failure, this.#head, this.#options))
  }

  /** The outcome of the attempt after its time-out. */
  timedOut(): Effect.Effect<Received, SendFailure> {
    const started = this.#control?.hasStarted() ?? false
    const failure = timeoutFailure(started, this.#head, this.#options)
    return withoutBody(failure, this.#head, this.#options)
  }

  interrupt(): Effect.Effect<void> {
    return Effect.sync(() => {
      this.#isOver = true
      clearTimeout(this.#timer)
      this.#control?.abort()
    })
  }
}

const sendOver =
  (wire: Wire): Send =>
  (request, options) =>
    Clock.clockWith((clock) => {
      const hasTimer = clock === platformClock && options.timeoutMillis <= maxTimerMillis
      let attempt: Attempt | undefined
      const sending = Effect.callback<Received, SendFailure>((resume) => {
        attempt = new Attempt(wire, request, options, hasTimer, resume)
        return attempt.interrupt()
      })
      return hasTimer
        ? sending
        : Effect.timeoutOrElse(sending, {
            duration: options.timeoutMillis,
            orElse: () =>
              attempt?.timedOut() ?? Effect.fail(timeoutFailure(false, undefined, options))
          })
    })

/** A wire knows whether a request started, so a send that did not start can be retried. */
export const sendOverWire = (wire: Wire): Transport => ({
  send: sendOver(wire),
  headers: wire.headers,
  sendRetries: 2,
  runsProgram: false
})
