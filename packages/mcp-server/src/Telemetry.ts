/**
 * The spans and counters for the operator. They contain no phone number and no text. `Otlp.ts` exports them,
 * and is loaded only if a collector is configured.
 */
import { type Environment, UsageError } from "@messaging-topup/command"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"

/** The counters, each with the attribute that distinguishes its values. */
const counters = { sends: "outcome", refusals: "code", confirmations: "action" } as const

const metrics = Record.map(counters, (_, name) =>
  Metric.counter(`messaging_topup_mcp.${name}`, { incremental: true })
)

export const count = (counter: keyof typeof counters, value: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(metrics[counter], { [counters[counter]]: value }), 1)

/** A value that is not as the W3C says is ignored. */
const parentOf = (traceparent: unknown) =>
  Predicate.isString(traceparent)
    ? Option.match(HttpTraceContext.w3c(Headers.fromInput({ traceparent })), {
        onNone: () => ({}),
        onSome: (parent) => ({ parent })
      })
    : {}

/** Runs the call of a tool in a span, below the client's span if it named one. */
export const toolCall = <A, E, R>(
  tool: string,
  traceparent: unknown,
  call: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withSpan(call, `tools/call ${tool}`, {
    kind: "server",
    attributes: { "mcp.method.name": "tools/call", "gen_ai.tool.name": tool },
    // It would be this line for every call.
    captureStackTrace: false,
    ...parentOf(traceparent)
  })

const collectors = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"
]

/** Names the variables, and never shows their values. */
const wrongVariables = (problem: string): UsageError => {
  const names = new Set(problem.match(/OTEL_[A-Z_]+/g))
  return new UsageError({
    problem: `${[...names].join(", ") || "OTEL_*"}: the value is invalid`
  })
}

/** The exporters are loaded only if a collector is configured. */
export const layer = (environment: Environment) =>
  collectors.some((name) => (environment[name] ?? "") !== "")
    ? Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./Otlp.ts")),
          (Otlp) => Otlp.layer(environment)
        )
      ).pipe(
        Layer.catchCause((cause) =>
          Layer.effectDiscard(Effect.fail(wrongVariables(Cause.pretty(cause))))
        )
      )
    : Layer.empty
