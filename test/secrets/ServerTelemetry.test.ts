import { expect, it } from "vitest"
import { reply } from "../harness/ResponseServer.ts"
import { runInProcess } from "../harness/mcp/Server.ts"
import { guarded, decline, stdioRoutes, approve } from "../harness/mcp/GuardedServer.ts"
import { callOver, openHttp } from "../harness/mcp/RawHttp.ts"
import { openRespondingUpstream } from "../harness/mcp/RespondingUpstream.ts"

type Json = Readonly<Record<string, unknown>>

interface Span {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly traceId: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Json }>
}

/** What stands under this name, wherever it is. Lists are flattened. */
const valuesOf = (value: unknown, name: string): ReadonlyArray<unknown> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, each]) =>
    key === name ? [each].flat() : valuesOf(each, name)
  )
}

/** A collector that keeps what it receives. */
const openCollector = async () => {
  const upstream = await openRespondingUpstream()
  upstream.respondWith(reply(200, {}))
  const of = (path: string, key: string) =>
    upstream.received
      .filter(({ headers, url }) => url === path && headers["content-type"] === "application/json")
      .flatMap(({ body }) => valuesOf(JSON.parse(body), key))
  return {
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: upstream.baseUrl,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json"
    },
    all: () => JSON.stringify(upstream.received),
    types: () =>
      new Set(upstream.received.map(({ headers, url }) => `${url} ${headers["content-type"]}`)),
    spans: () => of("/v1/traces", "spans") as ReadonlyArray<Span>,
    /** The names of the counters that were increased, with their attributes. */
    counted: () =>
      of("/v1/metrics", "metrics").flatMap((metric) =>
        (valuesOf(metric, "dataPoints") as ReadonlyArray<Json>)
          .filter((point) => Number(point["asInt"] ?? point["asDouble"]) >= 1)
          .map((point) => `${Object(metric).name} ${valuesOf(point, "stringValue").join()}`)
      ),
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose]()
  }
}

const sms = { recipient: "+254700000001", message: "Your code is 4711" }

it.each(stdioRoutes)(
  "a collector receives calls, sends, refusals and decisions, and no phone number: $era",
  async (route) => {
    await using collector = await openCollector()
    let decision = approve
    const server = await guarded(route, ["--allow-recipients", "+2547*, +1555*"], {
      person: () => decision,
      environment: collector.environment
    })
    await server.send(sms)
    await server.send({ ...sms, recipient: "+15550000500" })
    await server.send({ ...sms, recipient: "+19005550100" })
    decision = decline
    await server.send({ ...sms, message: "Another" })
    await server.client.callTool({ name: "get_sms_status", arguments: { message_id: "x0404" } })
    await server[Symbol.asyncDispose]()
    await using unasked = await guarded(route, [], {
      person: () => decline,
      reads: "0 seconds",
      environment: collector.environment
    })
    await unasked.send(sms)
    await unasked[Symbol.asyncDispose]()
    // Everything is exported when the server ends.
    const isUnasked = (name: string) => name.endsWith("confirmations unasked")
    await expect.poll(() => collector.counted().some(isUnasked)).toBe(true)
    await expect.poll(() => collector.spans().length).toBeGreaterThan(4)

    const spans = collector.spans()
    const calls = spans.filter(({ name }) => name.startsWith("tools/call "))
    expect(calls.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["tools/call send_sms", "tools/call get_sms_status"])
    )
    const core = spans.filter(({ name }) => /sendSms|POST/.test(name))
    expect(core.length).toBeGreaterThan(0)
    const ids = new Set(spans.map(({ spanId }) => spanId))
    for (const { parentSpanId = "" } of core) expect(ids).toContain(parentSpanId)
    const errors = calls.flatMap(({ attributes }) =>
      attributes.filter(({ key }) => key === "error.type").map(({ value }) => value["stringValue"])
    )
    expect(errors).toEqual(
      expect.arrayContaining(["send_unknown", "recipient_not_allowed", "read_failed"])
    )

    expect(collector.counted()).toEqual(
      expect.arrayContaining([
        "messaging_topup_mcp.sends sent",
        "messaging_topup_mcp.sends unknown",
        "messaging_topup_mcp.refusals recipient_not_allowed",
        "messaging_topup_mcp.refusals confirmation_declined",
        "messaging_topup_mcp.confirmations accept",
        "messaging_topup_mcp.confirmations decline",
        "messaging_topup_mcp.confirmations unasked"
      ])
    )
    expect(collector.all()).not.toMatch(/254700000001|19005550100|Your code|Another/)
    expect(collector.all()).not.toContain(server.upstream.env["MESSAGING_TOPUP_TOKEN"])
  }
)

const trace = { traceId: "0af7651916cd43dd8448eb211c80319c", parentSpanId: "b7ad6b7169203331" }
const traceparent = `00-${trace.traceId}-${trace.parentSpanId}-01`

it("the span of a call is below the span that its client names", async () => {
  await using collector = await openCollector()
  const route = { era: "modern", over: "stdio" } as const
  const server = await guarded(route, [], { environment: collector.environment })
  const preview = (text: string, _meta?: Record<string, unknown>) =>
    server.client.callTool({
      name: "preview_sms",
      arguments: { message: text },
      ...(_meta === undefined ? {} : { _meta })
    })
  await preview("one", { traceparent })
  await server.client.callTool({
    name: "get_sms_status",
    arguments: { message_id: "x0404" },
    _meta: { traceparent }
  })
  for (const wrong of [
    "",
    "00-00-00-01",
    `${traceparent}-more`,
    5,
    `00-${"0".repeat(32)}-${"0".repeat(16)}-01`
  ]) {
    await preview("other", { traceparent: wrong })
  }
  await preview("none")
  await server[Symbol.asyncDispose]()
  await expect.poll(() => collector.spans().length).toBeGreaterThan(7)
  const calls = collector.spans().filter(({ name }) => name.startsWith("tools/call "))
  const joined = calls.filter(({ traceId }) => traceId === trace.traceId)
  expect(joined).toHaveLength(2)
  for (const span of joined) expect(span).toMatchObject(trace)
  expect(calls).toHaveLength(8)
})

it("the span of a call over HTTP is below the span of its header", async () => {
  await using collector = await openCollector()
  const http = await openHttp(["--sandbox"], { env: collector.environment })
  const call = await callOver(
    http.url,
    "modern",
    1,
    "preview_sms",
    { message: "one" },
    {
      headers: { traceparent }
    }
  )
  await call.text()
  http.server.stop()
  await http.server.ended
  await expect.poll(() => collector.spans().length).toBeGreaterThan(0)
  expect(collector.spans()[0]).toMatchObject(trace)
})

it("a collector receives protobuf by default", async () => {
  await using collector = await openCollector()
  const { OTEL_EXPORTER_OTLP_ENDPOINT } = collector.environment
  const server = await guarded({ era: "modern", over: "stdio" }, [], {
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT }
  })
  await server.send(sms)
  await server[Symbol.asyncDispose]()
  await expect
    .poll(() => collector.types())
    .toEqual(new Set(["/v1/traces application/x-protobuf", "/v1/metrics application/x-protobuf"]))
  expect(collector.all()).not.toContain(sms.message)
})

it.each([
  ["OTEL_METRIC_EXPORT_INTERVAL", "abc"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "not a url"]
])("a wrong value of %s is named, and never shown", async (name, value) => {
  const ended = await runInProcess(["--sandbox"], {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    [name]: value
  })
  expect(ended.code).toBe(2)
  expect(ended.stderr).toContain(name)
  expect(ended.stderr).not.toContain(value)
})

it("nothing is exported without a collector, or where the SDK is disabled", async () => {
  await using collector = await openCollector()
  const { environment } = collector
  for (const given of [{}, { ...environment, OTEL_SDK_DISABLED: "true" }]) {
    await using server = await guarded({ era: "modern", over: "stdio" }, [], { environment: given })
    expect((await server.send(sms)).isError).toBe(false)
  }
  expect(collector.all()).toBe("[]")
})
