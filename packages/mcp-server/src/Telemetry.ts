/**
 * The spans and counters for the operator. They contain no phone number and no text. `Otlp.ts` exports them,
 * and is loaded only if a collector is configured.
 */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Record from "effect/Record"
import * as Tracer from "effect/Tracer"

/** The counters, each with the attribute that distinguishes its values. */
const counters = { sends: "outcome", refusals: "code", confirmations: "action" } as const

const metrics = Record.map(counters, (_, name) =>
  Metric.counter(`messaging_topup_mcp.${name}`, { incremental: true })
)

export const count = (counter: keyof typeof counters, value: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(metrics[counter], { [counters[counter]]: value }), 1)

/** Source: W3C Trace Context. A value that is not as it says is ignored, and so is one of zeros only. */
const traceparentOf = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/

const parentOf = (traceparent: unknown) => {
  const [, traceId, spanId, flags = ""] = traceparentOf.exec(String(traceparent)) ?? []
  if (traceId === undefined || spanId === undefined) return {}
  const sampled = Number.parseInt(flags, 16) % 2 === 1
  return { parent: Tracer.externalSpan({ traceId, spanId, sampled }) }
}

/** Runs the call of a tool in a span, below the client's span if it named one. */
export const toolCall = <A, E, R>(
  tool: string,
  traceparent: unknown,
  call: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withSpan(call, `tools/call ${tool}`, {
    kind: "server",
    attributes: { "mcp.method.name": "tools/call", "gen_ai.tool.name": tool },
    ...parentOf(traceparent)
  })
