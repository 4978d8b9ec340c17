import { expect, it } from "@effect/vitest"
import { MessagingTopup } from "@messaging-topup/core"
import { propagation } from "@opentelemetry/api"
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici"
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor
} from "@opentelemetry/sdk-trace-base"
import * as Effect from "effect/Effect"
import { env } from "node:process"
import { vi } from "vitest"
import { client, transports } from "../harness/Clients.ts"
import { contract } from "../harness/Contract.ts"
import { reply, responseServer } from "../harness/ResponseServer.ts"

/** The W3C format; the instrumentation uses whatever the program set. */
propagation.setGlobalPropagator({
  inject: (_, carrier, { set }) =>
    set(carrier, "traceparent", `00-${"1".repeat(32)}-${"2".repeat(16)}-01`),
  extract: (context) => context,
  fields: () => ["traceparent"]
})

/** Reads a status with each instrumentation, and another host, and returns the spans and the trace headers. */
const observed = (
  transport: (typeof transports)[number][1],
  open: (url: string) => Promise<UndiciInstrumentation>
) =>
  Effect.gen(function* () {
    const server = yield* responseServer
    const other = yield* responseServer
    server.respondWith(reply(200, contract.getSmsStatus.success))
    const exporter = new InMemorySpanExporter()
    const provider = new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(exporter)]
    })
    const instrumentation = yield* Effect.promise(() => open(server.baseUrl))
    instrumentation.setTracerProvider(provider)
    instrumentation.enable()
    yield* Effect.flatMap(MessagingTopup, (service) => service.getSmsStatus("m-4711")).pipe(
      Effect.provide(client(server.baseUrl, transport))
    )
    yield* Effect.promise(() => fetch(other.baseUrl))
    instrumentation.disable()
    yield* Effect.promise(() => provider.forceFlush())
    const urls = exporter.getFinishedSpans().map(({ attributes }) => attributes["url.full"])
    const [received] = server.received
    return {
      showsId: urls.some((url) => String(url).includes("m-4711")),
      traceparent: received?.headers["traceparent"],
      traced: other.received[0]?.headers["traceparent"]
    }
  })

// By default, it writes ids into spans and a header onto the wire.
it.live.each(transports)(
  "OpenTelemetry's instrumentation leaves out our requests, and no others, with the hook of the documentation: %s",
  ([, transport]) =>
    Effect.gen(function* () {
      const usual = yield* observed(transport, () => Promise.resolve(new UndiciInstrumentation()))
      expect(usual.showsId).toBe(true)
      expect(usual.traceparent).toMatch(/^00-/)
      const hooked = yield* observed(transport, async (url) => {
        env["MESSAGING_TOPUP_BASE_URL"] = url
        vi.resetModules()
        return (await import("../../examples/undici-instrumentation.ts")).instrumentation
      })
      expect(hooked).toMatchObject({ showsId: false, traceparent: undefined })
      expect(hooked.traced).toMatch(/^00-/)
    })
)
