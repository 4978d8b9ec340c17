/** Exports spans and counters to an OpenTelemetry collector over HTTP, set up by the standard variables. */
import * as ConfigProvider from "effect/ConfigProvider"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Record from "effect/Record"
import manifest from "../package.json" with { type: "json" }
import type { Environment } from "@messaging-topup/command"

/** The defaults of OpenTelemetry. Without these variables, Effect exports nothing. */
const standardDefaults = { OTEL_TRACES_EXPORTER: "otlp", OTEL_METRICS_EXPORTER: "otlp" }

const resource = { serviceName: "messaging-topup-mcp", serviceVersion: manifest.version }

export const layer = (environment: Environment): Layer.Layer<never> => {
  const env = { ...standardDefaults, ...Record.filter(environment, (value) => value !== undefined) }
  const isJson = environment["OTEL_EXPORTER_OTLP_PROTOCOL"] === "http/json"
  return Layer.mergeAll(
    OtlpTracer.layerFromConfig({ resource }),
    OtlpMetrics.layerFromConfig({ resource })
  ).pipe(
    Layer.provide(isJson ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf),
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
  )
}
