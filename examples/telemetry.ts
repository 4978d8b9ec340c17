import { layerConfig, MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Otlp from "effect/observability/Otlp"
import process, { env } from "node:process"

/** What the shell learns: 3 must not be repeated without a person. */
const exitCodes = { sent: 0, "not-sent": 1, unknown: 3 }

/** Exports to a collector. */
const telemetry = Otlp.layerJson({
  baseUrl: env["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "http://127.0.0.1:4318",
  resource: { serviceName: "orders" }
}).pipe(Layer.provide(FetchHttpClient.layer))

const program = Effect.gen(function* () {
  const { sendSms } = yield* MessagingTopup
  const { data } = yield* sendSms({ recipient: "+15550100123", message: "Your code is 4711" })
  yield* Console.log("accepted:", data.length)
}).pipe(
  Effect.catch((error) => {
    const outcome = sendOutcome(error)
    process.exitCode = exitCodes[outcome]
    return Console.error(outcome, error.message)
  })
)

await program.pipe(
  Effect.withSpan("checkout"),
  Effect.provide([Layer.provide(layerConfig, NodeTransport.layer), telemetry]),
  // A setting is wrong: nothing was sent.
  Effect.catch((error) => {
    process.exitCode = exitCodes["not-sent"]
    return Console.error(error.message)
  }),
  Effect.runPromise
)
