/**
 * The spans and counters for the operator. They contain no phone number and no text.
 *
 * Off by default: `Otlp.ts` turns them on, and is loaded only then.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Environment } from "@messaging-topup/sandbox/command-line"

/** The counters, each with the attribute that distinguishes its values. */
export const counters = {
  sends: "outcome",
  refusals: "code",
  confirmations: "action"
} as const

type Counter = keyof typeof counters

interface ToolCall<A, E, R> {
  readonly tool: string
  readonly call: Effect.Effect<A, E, R>
  /** The client's span, in the form of the W3C, if it sent one. */
  readonly traceparent: string | undefined
  /** Returns the code of a refusal. */
  readonly codeOf: (result: A) => string | undefined
}

export interface Telemetry {
  /** Wraps the call of a tool in a span, below the client's span. */
  readonly toolCall: <A, E, R>(call: ToolCall<A, E, R>) => Effect.Effect<A, E, R>
  readonly count: (counter: Counter, value: string) => Effect.Effect<void>
}

export const Telemetry = Context.Reference<Telemetry>("@messaging-topup/mcp-server/Telemetry", {
  defaultValue: () => ({ toolCall: ({ call }) => call, count: () => Effect.void })
})

export const count = (counter: Counter, value: string): Effect.Effect<void> =>
  Effect.flatMap(Telemetry, (telemetry) => telemetry.count(counter, value))

const endpoints = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"
]

/** Whether the standard variables of OpenTelemetry name a collector. */
export const isOn = (environment: Environment): boolean =>
  endpoints.some((name) => (environment[name] ?? "") !== "")
