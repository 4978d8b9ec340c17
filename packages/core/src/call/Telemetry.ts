/**
 * One span per operation, one client span per attempt, and two metrics.
 *
 * Names and attributes follow the OpenTelemetry conventions for HTTP clients, without `url.full`:
 * paths contain ids. Spans and metrics never contain an id, a phone number, a message text or the
 * token.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as EffectFiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import * as Tracer from "effect/Tracer"
import type { Endpoint, OperationError } from "../operations/Endpoint.ts"
import type { Failure } from "./Retry.ts"
import { endOfSend } from "./SendOutcome.ts"

type Attributes = Readonly<Record<string, string>>

/** The boundaries of the conventions, from 5 ms to 10 s. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

// Attributes set at creation cost nothing per call. Metric.withAttributes makes a context each
// time.
const durations = (attributes: Attributes) =>
  Metric.histogram("http.client.request.duration", {
    description: "Duration of HTTP client requests",
    boundaries,
    attributes: { ...attributes, unit: "s" }
  })

const sends = (outcome: string) =>
  Metric.counter("messaging_topup.sends", {
    description: "Sends that ended, by whether the SMS went out",
    incremental: true,
    attributes: { [outcomeKey]: outcome }
  })

const operationKey = "messaging_topup.operation"
const outcomeKey = "messaging_topup.send_outcome"

/** The first of several failures names the error. */
const errorTypeOf = <E>(cause: Cause.Cause<E>, tagOf: (error: E) => string): string => {
  if (Cause.hasInterrupts(cause)) return "interrupted"
  const error = Cause.findError(cause)
  return Result.isSuccess(error) ? tagOf(error.success) : "defect"
}

const memoized = <A>(make: (key: string) => A) => {
  const made = new Map<string, A>()
  return (key: string): A => {
    const existing = made.get(key)
    if (existing !== undefined) return existing
    const value = make(key)
    made.set(key, value)
    return value
  }
}

const nanosPerSecond = 1e9

/** Like `Effect.onExit`, for what is no effect. */
const onEnd = <A, E>(
  effect: Effect.Effect<A, E>,
  end: (exit: Exit.Exit<A, E>) => void
): Effect.Effect<A, E> =>
  Effect.onExitPrimitive(effect, (exit) => {
    end(exit)
    return undefined
  })

type Fiber = EffectFiber.Fiber<unknown, unknown>

/**
 * Like `Effect.withSpan`, but without a stack trace per call, and it passes the span. Effect's native
 * tracer shows its spans to nobody but the effects within.
 */
const inSpan = <A, E>(
  name: string,
  options: () => Tracer.SpanOptionsNoTrace,
  isReadWithin: boolean,
  within: (fiber: Fiber, span?: Tracer.Span) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) =>
    isReadWithin || fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer
      ? Effect.useSpan(name, options(), (span) =>
          Effect.provideService(within(fiber, span), Tracer.ParentSpan, span)
        )
      : within(fiber)
  )

export interface AttemptSpan {
  /** The request starts. Returns true. */
  readonly onStart: () => boolean
  readonly onStatus: (status: number) => void
  /** The HTTP status of the response, once it arrived. */
  readonly status: () => number | undefined
}

type Attempt = (span: AttemptSpan) => Effect.Effect<object, Failure>

/** Runs one attempt in its own span, and counts the attempts of the call. */
type ObserveAttempt = (attempt: Attempt) => Effect.Effect<object, Failure>

type Observe = (
  run: (observeAttempt: ObserveAttempt) => Effect.Effect<object, OperationError>
) => Effect.Effect<object, OperationError>

/** `runsProgram` says whether code of the program runs within an attempt. */
export const observer = (
  { method, name, path }: Endpoint,
  server: URL,
  runsProgram: boolean
): Observe => {
  const port = server.port || (server.protocol === "https:" ? "443" : "80")
  const common = {
    "http.request.method": method,
    // Only a URL writes an IPv6 address in brackets.
    "server.address": server.hostname.replace(/^\[|\]$/g, ""),
    "server.port": Number(port),
    "url.template": path
  }
  const isSend = name === "sendSms"

  const duration = memoized((key) => {
    const [status = "", errorType = ""] = key.split(" ")
    return durations({
      ...common,
      "server.port": port,
      ...(status === "" ? {} : { "http.response.status_code": status }),
      ...(errorType === "" ? {} : { "error.type": errorType })
    })
  })
  const sendCount = memoized(sends)

  const observeAttempts = (onStart: AttemptSpan["onStart"]): ObserveAttempt => {
    let attempts = 0
    const options = (): Tracer.SpanOptionsNoTrace => ({
      kind: "client",
      attributes: attempts === 0 ? common : { ...common, "http.request.resend_count": attempts }
    })
    return (attempt) =>
      inSpan(method, options, runsProgram, (fiber, span) => {
        attempts++
        const clock = fiber.getRef(Clock.Clock)
        const start = clock.monotonicTimeNanosUnsafe()
        let status: number | undefined
        const onStatus = (received: number) => {
          status = received
          span?.attribute("http.response.status_code", received)
        }
        return onEnd(attempt({ onStart, onStatus, status: () => status }), (exit) => {
          const errorType = Exit.isSuccess(exit)
            ? ""
            : errorTypeOf(exit.cause, ({ error }) =>
                status === undefined || status < 400 ? error._tag : String(status)
              )
          if (errorType !== "") span?.attribute("error.type", errorType)
          const seconds = Number(clock.monotonicTimeNanosUnsafe() - start) / nanosPerSecond
          duration(`${status ?? ""} ${errorType}`).updateUnsafe(seconds, fiber.context)
        })
      })
  }

  const options = () => ({ attributes: { [operationKey]: name } })

  return (run) =>
    inSpan(name, options, runsProgram, (fiber, span) => {
      let hasStarted = false
      const onStart = () => (hasStarted = true)
      const call = Effect.suspend(() => run(observeAttempts(onStart)))
      if (span === undefined && !isSend) return call
      return onEnd(call, (exit) => {
        if (Exit.isFailure(exit)) {
          span?.attribute(
            "error.type",
            errorTypeOf(exit.cause, ({ _tag }) => _tag)
          )
        }
        if (!isSend) return
        const outcome = Exit.isSuccess(exit) ? "sent" : endOfSend(exit, hasStarted).outcome
        span?.attribute(outcomeKey, outcome)
        sendCount(outcome).updateUnsafe(1, fiber.context)
      })
    })
}
