/**
 * Exports spans and counters to an OpenTelemetry collector over HTTP, set up by the standard variables.
 */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Record from "effect/Record"
import manifest from "../package.json" with { type: "json" }
import type { Environment } from "@messaging-topup/sandbox/command-line"
import { counters, Telemetry } from "./Telemetry.ts"

const metrics = Record.map(counters, (_, name) =>
  Metric.counter(`messaging_topup_mcp.${name}`, { incremental: true })
)

/** A value that is not as the W3C says is ignored. */
const parentOf = (traceparent: string | undefined) =>
  traceparent === undefined
    ? {}
    : Option.match(HttpTraceContext.w3c(Headers.fromInput({ traceparent })), {
        onNone: () => ({}),
        onSome: (parent) => ({ parent })
      })

const exported: Telemetry = {
  toolCall: ({ call, codeOf, tool, traceparent }) =>
    call.pipe(
      Effect.tap((result) => {
        const code = codeOf(result)
        return code === undefined ? Effect.void : Effect.annotateCurrentSpan("error.type", code)
      }),
      Effect.withSpan(`tools/call ${tool}`, {
        kind: "server",
        attributes: { "mcp.method.name": "tools/call", "gen_ai.tool.name": tool },
        ...parentOf(traceparent)
      })
    ),
  count: (counter, value) =>
    Metric.update(Metric.withAttributes(metrics[counter], { [counters[counter]]: value }), 1)
}

/** The defaults of OpenTelemetry. Without these variables, Effect exports nothing. */
const standardDefaults = { OTEL_TRACES_EXPORTER: "otlp", OTEL_METRICS_EXPORTER: "otlp" }

const resource = { serviceName: "messaging-topup-mcp", serviceVersion: manifest.version }

export const layer = (environment: Environment): Layer.Layer<never> => {
  const env = { ...standardDefaults, ...Record.filter(environment, (value) => value !== undefined) }
  const isJson = environment["OTEL_EXPORTER_OTLP_PROTOCOL"] === "http/json"
  const exporters = Layer.mergeAll(
    OtlpTracer.layerFromConfig({ resource }),
    OtlpMetrics.layerFromConfig({ resource })
  ).pipe(
    Layer.provide(isJson ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf),
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
  )
  return Layer.merge(exporters, Layer.succeed(Telemetry, exported))
}
