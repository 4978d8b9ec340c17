/** OpenTelemetry's instrumentation of undici, which leaves out the requests to the service. */
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici"
import { env } from "node:process"

const { MESSAGING_TOPUP_BASE_URL: baseUrl } = env
if (!baseUrl) throw new Error("set MESSAGING_TOPUP_BASE_URL")
const { origin: service } = new URL(baseUrl)

export const instrumentation = new UndiciInstrumentation({
  ignoreRequestHook: ({ origin }) => origin === service
})
