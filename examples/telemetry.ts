import { layerConfig, MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Otlp from "effect/observability/Otlp"
import process, { env } from "node:process"

/** Exports to a collector. */
const telemetry = Otlp.layerJson({
  baseUrl: env["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "http://127.0.0.1:4318",
  resource: { serviceName: "orders" }
}).pipe(Layer.provide(FetchHttpClient.layer))

const program = Effect.gen(function* () {
  const { sendSms } = yield* MessagingTopup
  const { data } = yield* sendSms({ recipient: "+15550100123", message: "Your code is 4711" })
  yield* Console.log("accepted:", data.length)
})

await program.pipe(
  Effect.withSpan("checkout"),
  Effect.provide([Layer.provide(layerConfig, NodeTransport.layer), telemetry]),
  Effect.catch((error) => {
    process.exitCode = 1
    return Console.error(error.message)
  }),
  Effect.runPromise
)
