/** OpenTelemetry's instrumentation of undici, which leaves out the requests to the service. */
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici"
import { env } from "node:process"

const { origin: service } = new URL(env["MESSAGING_TOPUP_BASE_URL"] ?? "https://api.example.com")

export const instrumentation = new UndiciInstrumentation({
  ignoreRequestHook: ({ origin }) => origin === service
})
