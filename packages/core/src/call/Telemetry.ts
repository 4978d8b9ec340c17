/**
 * One client span per call, and one counter of sends by outcome.
 *
 * Names and attributes follow the OpenTelemetry conventions for HTTP clients, without `url.full`:
 * paths contain ids. Spans and metrics never contain an id, a phone number, a message text or the
 * token.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import * as Tracer from "effect/Tracer"
import type { OperationError } from "../errors/DocumentedErrors.ts"
import type { Endpoint } from "../operations/Endpoints.ts"
import type { CallProgress } from "./CallProgress.ts"
import { outcomeOf } from "./SendEnd.ts"

const outcomeKey = "messaging_topup.send_outcome"

// Attributes set at creation cost nothing per call.
const sends = (outcome: string) =>
  Metric.counter("messaging_topup.sends", {
    description: "Sends that ended, by whether the SMS went out",
    incremental: true,
    attributes: { [outcomeKey]: outcome }
  })

const sendCounts = { "not-sent": sends("not-sent"), sent: sends("sent"), unknown: sends("unknown") }

/** The first of several failures names the error. */
const errorTypeOf = (cause: Cause.Cause<OperationError>): string => {
  if (Cause.hasInterrupts(cause)) return "interrupted"
  const error = Cause.findError(cause)
  return Result.isSuccess(error) ? error.success._tag : "defect"
}

type Call = Effect.Effect<object, OperationError>

/** Returns a function that runs a call in its span. `progress` is of this call, and of no other. */
export const observer = ({ method, name, path }: Endpoint, server: URL) => {
  const attributes = {
    "http.request.method": method,
    // Only a URL writes an IPv6 address in brackets.
    "server.address": server.hostname.replace(/^\[|\]$/g, ""),
    "server.port": Number(server.port || (server.protocol === "https:" ? "443" : "80")),
    "url.template": path
  }
  const options: Tracer.SpanOptionsNoTrace = { kind: "client", attributes }
  const isSend = name === "sendSms"

  return (fiber: Fiber.Fiber<unknown, unknown>, progress: CallProgress, call: Call): Call => {
    const onEnd = (exit: Exit.Exit<object, OperationError>, span?: Tracer.Span) => {
      if (progress.head !== undefined) {
        span?.attribute("http.response.status_code", progress.head.status)
      }
      if (progress.requests > 1) span?.attribute("http.request.resend_count", progress.requests - 1)
      if (Exit.isFailure(exit)) span?.attribute("error.type", errorTypeOf(exit.cause))
      if (!isSend) return undefined
      const outcome = outcomeOf(exit, progress.started)
      span?.attribute(outcomeKey, outcome)
      sendCounts[outcome].updateUnsafe(1, fiber.context)
      return undefined
    }
    // Effect's native tracer exports nothing.
    if (fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer) {
      return isSend ? Effect.onExitPrimitive(call, (exit) => onEnd(exit)) : call
    }
    // Unlike `Effect.withSpan`, it makes no stack trace for each call.
    return Effect.useSpan(name, options, (span) =>
      Effect.onExitPrimitive(Effect.provideService(call, Tracer.ParentSpan, span), (exit) =>
        onEnd(exit, span)
      )
    )
  }
}
