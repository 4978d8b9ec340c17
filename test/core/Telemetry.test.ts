import { describe, expect, it } from "@effect/vitest"
import * as OtelMetrics from "@effect/opentelemetry/OtelMetrics"
import * as OtelTracer from "@effect/opentelemetry/OtelTracer"
import * as OtelResource from "@effect/opentelemetry/Resource"
import { MessagingTopup } from "@messaging-topup/core"
import { SpanKind, SpanStatusCode } from "@opentelemetry/api"
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader
} from "@opentelemetry/sdk-metrics"
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor
} from "@opentelemetry/sdk-trace-base"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"
import {
  breakOff,
  reply,
  reset,
  type ResponseServer,
  responseServer,
  type Respond,
  silence,
  urlWithoutServer
} from "../support/ResponseServer.ts"
import { changed, client, token, transports } from "../support/Clients.ts"
import { withoutRetryDelays } from "../support/TestTime.ts"
import {
  contract,
  errorBody,
  errorTags,
  type OperationName,
  operationNames,
  recipient,
  text
} from "../support/Contract.ts"
import { observed } from "../support/Renderings.ts"
import { serving } from "../support/Serving.ts"

type Service = MessagingTopup["Service"]

const templates: Readonly<Record<OperationName, string>> = {
  sendSms: "/sms/send",
  getSmsStatus: "/sms/{message_id}",
  getAirtimeStatus: "/v1/airtime/{referencecode}",
  getDataBundleStatus: "/v1/databundle/{referencecode}",
  listDataBundles: "/v1/list-bundles"
}

type Attributes = Readonly<Record<string, unknown>>

/** The attributes of an attempt's span before the response. */
const request = (name: OperationName, baseUrl: string): Attributes => ({
  "http.request.method": contract[name].method,
  "server.address": "127.0.0.1",
  "server.port": Number(new URL(baseUrl).port),
  "url.template": templates[name]
})

interface Told {
  readonly name: string
  readonly kind: string
  readonly attributes: Attributes
}

const tell = ({ attributes, kind, name }: Tracer.Span): Told => ({
  name,
  kind,
  attributes: Object.fromEntries(attributes)
})

const attempt = (name: OperationName, baseUrl: string, attributes: Attributes = {}): Told => ({
  name: contract[name].method,
  kind: "client",
  attributes: { ...request(name, baseUrl), ...attributes }
})

const operation = (name: OperationName, attributes: Attributes = {}): Told => ({
  name,
  kind: "internal",
  attributes: { "messaging_topup.operation": name, ...attributes }
})

const seriesOf = (metrics: ReadonlyArray<Metric.Metric.Snapshot>) =>
  metrics.map(({ attributes, id, state }) => ({
    id,
    attributes,
    count: "count" in state ? Number(state.count) : undefined
  }))

const durations = (attributes: Attributes, count = 1) => ({
  id: "http.client.request.duration",
  attributes: {
    ...Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, String(value)])),
    unit: "s"
  },
  count
})

const sends = (outcome: string, count = 1) => ({
  id: "messaging_topup.sends",
  attributes: { "messaging_topup.send_outcome": outcome },
  count
})

const observedAfter = <A, E>(
  server: ResponseServer,
  respond: Respond,
  call: Effect.Effect<A, E>
) => {
  server.respondWith(respond)
  return observed(call)
}

/** The telemetry of a call without a retry: its operation, its attempt and its metrics. */
const expectTelemetry = (
  {
    metrics,
    spans
  }: {
    readonly metrics: ReadonlyArray<Metric.Metric.Snapshot>
    readonly spans: ReadonlyArray<Tracer.Span>
  },
  name: OperationName,
  baseUrl: string,
  onAttempt: Attributes,
  errorType?: string,
  sendOutcome?: string
) => {
  expect(spans.map(tell)).toEqual([
    operation(name, {
      ...(errorType === undefined ? {} : { "error.type": errorType }),
      ...(name === "sendSms" ? { "messaging_topup.send_outcome": sendOutcome } : {})
    }),
    attempt(name, baseUrl, onAttempt)
  ])
  expect(seriesOf(metrics)).toEqual(
    expect.arrayContaining([
      durations({ ...request(name, baseUrl), ...onAttempt }),
      ...(name === "sendSms" && sendOutcome !== undefined ? [sends(sendOutcome)] : [])
    ])
  )
  expect(metrics).toHaveLength(name === "sendSms" ? 2 : 1)
}

const outcomes: Readonly<Record<number, string>> = { 202: "sent", 418: "unknown", 500: "unknown" }

describe.for(transports)("over %s", ([over, transport]) => {
  it.live.each(operationNames)(
    "%s has one span of that name, with one child span for its attempt",
    (name) =>
      serving({ transport }, (service, server) =>
        Effect.gen(function* () {
          const { call, errors, success, successStatus } = contract[name]
          const responses: ReadonlyArray<readonly [number, unknown, string | undefined]> = [
            [successStatus, success, undefined],
            ...errors.map((status) => [status, errorBody(status), errorTags[status]] as const),
            [successStatus, "<html>", "InvalidResponse"],
            [418, "", "UndocumentedStatus"]
          ]
          for (const [status, body, errorType] of responses) {
            const telemetry = yield* observedAfter(server, reply(status, body), call(service))
            const onAttempt = {
              "http.response.status_code": status,
              ...(errorType === undefined
                ? {}
                : { "error.type": status < 400 ? errorType : String(status) })
            }
            const outcome = outcomes[status] ?? "not-sent"
            expectTelemetry(telemetry, name, server.baseUrl, onAttempt, errorType, outcome)
            const [above, below] = telemetry.spans
            expect(Option.getOrUndefined(below?.parent ?? Option.none())).toBe(above)
          }
        })
      )
  )

  it.live("the span of a failed operation ends with its error", () =>
    serving({ transport }, (service, server) =>
      Effect.gen(function* () {
        const respond = reply(404, errorBody(404))
        const { exit, spans } = yield* observedAfter(server, respond, service.getSmsStatus("m-1"))
        expect(spans[0]?.status).toMatchObject({ _tag: "Ended", exit })
        expect(yield* Effect.flip(exit)).toMatchObject({ _tag: "NotFound" })
      })
    )
  )

  it.live.each<readonly [tag: string, respond: Respond, timeout: "10 seconds" | "60 millis"]>([
    ["ConnectionLost", reset, "10 seconds"],
    ["RequestTimedOut", silence, "60 millis"]
  ])("a send without a response ends as %s, without a status", ([tag, respond, timeout]) =>
    serving({ transport, timeout }, (service, server) =>
      Effect.gen(function* () {
        const call = service.sendSms({ recipient, message: text })
        const telemetry = yield* observedAfter(server, respond, call)
        expectTelemetry(telemetry, "sendSms", server.baseUrl, { "error.type": tag }, tag, "unknown")
      })
    )
  )

  it.live("a call with invalid input has no attempt", () =>
    serving({ transport }, (service) =>
      Effect.gen(function* () {
        const read = yield* observed(service.getSmsStatus(".."))
        expect(read.spans.map(tell)).toEqual([
          operation("getSmsStatus", { "error.type": "InvalidInput" })
        ])
        expect(read.metrics).toEqual([])
        // @ts-expect-error: an untyped caller passes a number
        const send = yield* observed(service.sendSms({ recipient: 7, message: text }))
        expect(send.spans.map(tell)).toEqual([
          operation("sendSms", {
            "error.type": "InvalidInput",
            "messaging_topup.send_outcome": "not-sent"
          })
        ])
        expect(seriesOf(send.metrics)).toEqual([sends("not-sent")])
      })
    )
  )

  it.live("a send without a server is retried, except on a wrapper, and counted", () =>
    Effect.gen(function* () {
      const resends = over === "wrapped" ? [] : [1, 2]
      const closed = yield* urlWithoutServer
      const { metrics, spans } = yield* Effect.flatMap(MessagingTopup, (service) =>
        observed(service.sendSms({ recipient, message: text }))
      ).pipe(Effect.provide(client(closed, transport)), withoutRetryDelays)
      const error = { "error.type": "ConnectionFailed" }
      expect(spans.map(tell)).toEqual([
        operation("sendSms", { ...error, "messaging_topup.send_outcome": "not-sent" }),
        attempt("sendSms", closed, error),
        ...resends.map((count) =>
          attempt("sendSms", closed, { ...error, "http.request.resend_count": count })
        )
      ])
      expect(seriesOf(metrics)).toEqual(
        expect.arrayContaining([
          durations({ ...request("sendSms", closed), ...error }, 1 + resends.length),
          sends("not-sent")
        ])
      )
    })
  )

  it.live("the status stays on the span if the response is cut off", () =>
    serving({ transport }, (service, server) =>
      Effect.gen(function* () {
        const telemetry = yield* observedAfter(
          server,
          breakOff(202),
          service.sendSms({ recipient, message: text })
        )
        const onAttempt = { "http.response.status_code": 202, "error.type": "ConnectionLost" }
        expectTelemetry(telemetry, "sendSms", server.baseUrl, onAttempt, "ConnectionLost", "sent")
      })
    )
  )

  it.live("each attempt of a retried read has its own span", () =>
    serving({ transport, readRetries: 2 }, (service, server) =>
      Effect.gen(function* () {
        const { call, success } = contract.getSmsStatus
        for (const failures of [0, 1, 2, 3]) {
          const { spans } = yield* observedAfter(
            server,
            (received, response) =>
              (server.received.length <= failures ? reply(503) : reply(200, success))(
                received,
                response
              ),
            withoutRetryDelays(call(service))
          )
          const statuses = [...Array.from({ length: failures }, () => 503), 200].slice(0, 3)
          expect(server.received).toHaveLength(statuses.length)
          expect(spans.map(tell)).toEqual([
            operation("getSmsStatus", failures < 3 ? {} : { "error.type": "UndocumentedStatus" }),
            ...statuses.map((status, resends) =>
              attempt("getSmsStatus", server.baseUrl, {
                "http.response.status_code": status,
                ...(status === 503 ? { "error.type": "503" } : {}),
                ...(resends === 0 ? {} : { "http.request.resend_count": resends })
              })
            )
          ])
        }
      })
    )
  )

  it.live("the span of an interrupted call shows the interruption", () =>
    serving({ transport }, (service, server) =>
      Effect.gen(function* () {
        const asked = yield* Deferred.make<void>()
        const interrupted = Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(service.sendSms({ recipient, message: text }))
          yield* Deferred.await(asked)
          yield* Fiber.interrupt(fiber)
        })
        const telemetry = yield* observedAfter(
          server,
          () => Deferred.doneUnsafe(asked, Effect.void),
          interrupted
        )
        for (const { status } of telemetry.spans) expect(status).toMatchObject({ _tag: "Ended" })
        const error = { "error.type": "interrupted" }
        expectTelemetry(telemetry, "sendSms", server.baseUrl, error, "interrupted", "unknown")
      })
    )
  )

  it.live("no trace header reaches the server, even if the program turns it on", () =>
    serving({ transport }, (service, server) =>
      Effect.gen(function* () {
        for (const name of operationNames) {
          const { call, success, successStatus } = contract[name]
          const traced = call(service).pipe(
            Effect.withSpan("caller"),
            Effect.provideService(HttpClient.TracerPropagationEnabled, true),
            Effect.provideService(HttpClient.TracerDisabledWhen, () => false)
          )
          const respond = reply(successStatus, success)
          const { exit, spans } = yield* observedAfter(server, respond, traced)
          expect(exit).toEqual(Exit.succeed(success))
          const [caller, above, below, ...others] = spans
          expect([caller?.name, above?.name, below?.name, others]).toEqual([
            "caller",
            name,
            contract[name].method,
            []
          ])
          expect(Option.getOrUndefined(above?.parent ?? Option.none())).toBe(caller)
          expect(server.received).toHaveLength(1)
          const [received] = server.received
          expect(
            Object.keys(received?.headers ?? {}).filter((header) =>
              /^(traceparent|tracestate|b3|x-b3-.*|baggage|.*trace.*)$/.test(header)
            )
          ).toEqual([])
          const sent = JSON.stringify(received)
          for (const { spanId, traceId } of spans) {
            expect(sent).not.toContain(spanId)
            expect(sent).not.toContain(traceId)
          }
        }
      })
    )
  )

  it.live.each<readonly [string, <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E>]>([
    ["tracing is off", Effect.withTracerEnabled(false)],
    ["no tracer exports spans", Effect.provideService(Tracer.Tracer, Tracer.nativeTracer)]
  ])("calls work and are counted if %s", ([, untraced]) =>
    serving({ transport }, (service, server) =>
      Effect.gen(function* () {
        const { call, success } = contract.getSmsStatus
        const read = yield* observedAfter(server, reply(200, success), untraced(call(service)))
        expect(read.exit).toEqual(Exit.succeed(success))
        const refused = reply(404, errorBody(404))
        const missing = yield* observedAfter(server, refused, untraced(call(service)))
        expect(yield* Effect.flip(missing.exit)).toMatchObject({ _tag: "NotFound" })
        expect([read.spans, missing.spans]).toEqual([[], []])
        const of = (status: number, attributes: Attributes = {}) =>
          durations({
            ...request("getSmsStatus", server.baseUrl),
            "http.response.status_code": status,
            ...attributes
          })
        expect(seriesOf(read.metrics)).toEqual([of(200)])
        expect(seriesOf(missing.metrics)).toEqual([of(404, { "error.type": "404" })])
      })
    )
  )

  it.live("the spans of the program and of its transport do not change", () =>
    Effect.gen(function* () {
      const server = yield* responseServer
      server.respondWith(reply(202, contract.sendSms.success))
      const spanned = changed(
        transport,
        HttpClient.transformResponse(Effect.withSpan("gateway", { attributes: { region: "eu" } }))
      )
      const { spans } = yield* Effect.flatMap(MessagingTopup, (service) =>
        observed(
          service
            .sendSms({ recipient, message: text })
            .pipe(Effect.withSpan("order", { attributes: { order: 7 } }))
        )
      ).pipe(Effect.provide(client(server.baseUrl, spanned)))
      const status = { "http.response.status_code": 202 }
      expect(spans.map(tell)).toEqual([
        { name: "order", kind: "internal", attributes: { order: 7 } },
        operation("sendSms", { "messaging_topup.send_outcome": "sent" }),
        attempt("sendSms", server.baseUrl, status),
        { name: "gateway", kind: "internal", attributes: { region: "eu" } }
      ])
      for (const [index, span] of spans.entries()) {
        expect(Option.getOrUndefined(span.parent)).toBe(spans[index - 1])
      }
    })
  )

  it.live("a wrapped transport finds the spans also without a tracer that exports them", () =>
    Effect.gen(function* () {
      const server = yield* responseServer
      server.respondWith(reply(202, contract.sendSms.success))
      const found: Array<Tracer.Span> = []
      const finding = HttpClient.transformResponse(
        Effect.tap(() => Effect.map(Effect.orDie(Effect.currentSpan), (span) => found.push(span)))
      )
      yield* Effect.flatMap(MessagingTopup, (service) =>
        service.sendSms({ recipient, message: text })
      ).pipe(Effect.provide(client(server.baseUrl, changed(transport, finding))))
      const [below] = found
      expect([below].map((span) => span && tell(span))).toEqual([
        attempt("sendSms", server.baseUrl, { "http.response.status_code": 202 })
      ])
      const above = Option.getOrUndefined(below?.parent ?? Option.none())
      expect(above).toMatchObject({ name: "sendSms" })
    })
  )
})

describe("the metrics", () => {
  it.live("count every attempt by endpoint and status, and every send by its outcome", () =>
    serving({}, (service, server) =>
      Effect.gen(function* () {
        const calls = Effect.gen(function* () {
          for (const name of operationNames) {
            const { call, success, successStatus } = contract[name]
            server.respondWith(reply(successStatus, success))
            yield* Effect.all([call(service), call(service), call(service)], {
              concurrency: "unbounded"
            })
            server.respondWith(reply(400, errorBody(400)))
            yield* Effect.flip(call(service))
          }
        })
        const { metrics } = yield* observed(calls)
        const expected = [
          ...operationNames.flatMap((name) => [
            durations(
              {
                ...request(name, server.baseUrl),
                "http.response.status_code": contract[name].successStatus
              },
              3
            ),
            durations({
              ...request(name, server.baseUrl),
              "http.response.status_code": 400,
              "error.type": "400"
            })
          ]),
          sends("sent", 3),
          sends("not-sent")
        ]
        expect(seriesOf(metrics)).toHaveLength(expected.length)
        expect(seriesOf(metrics)).toEqual(expect.arrayContaining(expected))
      })
    )
  )

  it.effect("measure an attempt in seconds, without the wait before a retry", () =>
    Effect.gen(function* () {
      let attempts = 0
      const slow = HttpClient.make((asked) =>
        Effect.sync(() => {
          attempts += 1
          return attempts === 1
            ? new Response("", { status: 503, headers: { "retry-after": "2" } })
            : Response.json(contract.getSmsStatus.success)
        }).pipe(
          Effect.delay("250 millis"),
          Effect.map((response) => HttpClientResponse.fromWeb(asked, response))
        )
      )
      const fiber = yield* Effect.flatMap(MessagingTopup, (service: Service) =>
        observed(service.getSmsStatus("m-1"))
      ).pipe(
        Effect.provide(
          MessagingTopup.layer({ baseUrl: "https://service.test", token: Redacted.make(token) })
        ),
        Effect.provideService(HttpClient.HttpClient, slow),
        Effect.forkChild
      )
      yield* TestClock.adjust("10 seconds")
      const { metrics } = yield* Fiber.join(fiber)
      expect(metrics).toHaveLength(2)
      for (const each of metrics) {
        expect(each).toMatchObject({
          type: "Histogram",
          state: { count: 1, sum: 0.25, min: 0.25, max: 0.25 }
        })
        expect(each.type === "Histogram" ? each.state.buckets : []).toEqual(
          [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10].map(
            (boundary) => [boundary, boundary < 0.25 ? 0 : 1]
          )
        )
      }
    })
  )
})

describe("a collector of OpenTelemetry", () => {
  it.live("gets spans and metrics that follow the conventions for HTTP clients", () =>
    Effect.gen(function* () {
      const spans = new InMemorySpanExporter()
      const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
      const reader = new PeriodicExportingMetricReader({
        exporter: metrics,
        exportIntervalMillis: 2 ** 31 - 1
      })
      const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
      const collected = Layer.mergeAll(
        OtelTracer.layer.pipe(
          Layer.provide(Layer.succeed(OtelTracer.OtelTracerProvider, provider))
        ),
        OtelMetrics.layer(() => reader)
      ).pipe(Layer.provide(OtelResource.layer({ serviceName: "orders" })))
      const registry: Metric.MetricRegistry = new Map()

      const server = yield* responseServer
      yield* Effect.gen(function* () {
        const service = yield* MessagingTopup
        server.respondWith(reply(202, contract.sendSms.success))
        yield* service.sendSms({ recipient, message: text })
        server.respondWith(reply(402, errorBody(402)))
        yield* Effect.flip(service.sendSms({ recipient, message: text }))
        yield* Effect.promise(() => reader.forceFlush())
      }).pipe(
        Effect.provide(Layer.mergeAll(client(server.baseUrl), collected)),
        Effect.provideService(Metric.MetricRegistry, registry)
      )

      const refused = { "error.type": "PaymentRequired" }
      const ends = [
        { "http.response.status_code": 202 },
        { "http.response.status_code": 402, "error.type": "402" }
      ]
      expect(
        spans.getFinishedSpans().map(({ attributes, kind, name, status: { code } }) => ({
          told: { name, kind: SpanKind[kind].toLowerCase(), attributes },
          code
        }))
      ).toEqual([
        { told: attempt("sendSms", server.baseUrl, ends[0]), code: SpanStatusCode.OK },
        {
          told: operation("sendSms", { "messaging_topup.send_outcome": "sent" }),
          code: SpanStatusCode.OK
        },
        { told: attempt("sendSms", server.baseUrl, ends[1]), code: SpanStatusCode.ERROR },
        {
          told: operation("sendSms", { "messaging_topup.send_outcome": "not-sent", ...refused }),
          code: SpanStatusCode.ERROR
        }
      ])

      const found = metrics
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap((each) => each.metrics)
        .map(({ dataPoints, descriptor: { name, unit } }) => ({
          name,
          unit,
          points: dataPoints.map(({ attributes }) => attributes)
        }))
      const textsOf = (attributes: Attributes) =>
        Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, String(value)]))
      expect(found).toEqual(
        expect.arrayContaining([
          {
            name: "http.client.request.duration",
            unit: "s",
            points: expect.arrayContaining(
              ends.map((end) =>
                expect.objectContaining(textsOf({ ...request("sendSms", server.baseUrl), ...end }))
              )
            )
          },
          {
            name: "messaging_topup.sends",
            unit: "1",
            points: expect.arrayContaining([
              { "messaging_topup.send_outcome": "sent" },
              { "messaging_topup.send_outcome": "not-sent" }
            ])
          }
        ])
      )
      yield* Effect.promise(() => provider.shutdown())
    })
  )
})

// What a span never contains is in Secrets.test.ts.
describe("the span of an attempt", () => {
  it.effect.each([
    ["https://service.test", "service.test", 443],
    ["https://service.test:8443/team", "service.test", 8443],
    ["http://localhost/team", "localhost", 80],
    ["http://[::1]:3000", "::1", 3000]
  ] as const)("has the host and port of %s, but not its path", ([baseUrl, address, port]) =>
    Effect.gen(function* () {
      const silent = HttpClient.make((asked) =>
        Effect.succeed(HttpClientResponse.fromWeb(asked, new Response("{}")))
      )
      const { spans } = yield* Effect.flatMap(MessagingTopup, (service: Service) =>
        observed(service.listDataBundles())
      ).pipe(
        Effect.provide(MessagingTopup.layer({ baseUrl, token: Redacted.make(token) })),
        Effect.provideService(HttpClient.HttpClient, silent)
      )
      expect(spans.slice(1).map(tell)).toEqual([
        attempt("listDataBundles", "http://127.0.0.1:1", {
          "server.address": address,
          "server.port": port,
          "http.response.status_code": 200,
          "error.type": "InvalidResponse"
        })
      ])
    })
  )
})

describe("a transport with a defect", () => {
  const call = (
    operationOf: (service: Service) => Effect.Effect<unknown, unknown>,
    defect: unknown
  ) => {
    let asked = 0
    const dying = HttpClient.make(() => {
      asked += 1
      return Effect.die(defect)
    })
    return Effect.flatMap(MessagingTopup, (service: Service) =>
      observed(operationOf(service))
    ).pipe(
      Effect.provide(
        MessagingTopup.layer({ baseUrl: "https://service.test", token: Redacted.make(token) })
      ),
      Effect.provideService(HttpClient.HttpClient, dying),
      Effect.map((telemetry) => ({ ...telemetry, asked }))
    )
  }

  const nameless = Object.assign(new Error("no text"), { name: `Bearer ${token}` })

  it.effect.each([
    ["an error", new TypeError(`Cannot read ${token} of ${recipient}`), "TypeError"],
    ["a text", `Bearer ${token}`, "string"],
    ["an error whose name says more", nameless, "object"],
    ["the request", { headers: { authorization: token } }, "object"]
  ] as const)(
    "of %s fails the call with the defect's kind, and nothing else of it",
    ([, defect, kind]) =>
      Effect.gen(function* () {
        for (const name of operationNames) {
          const { asked, exit, logs, spans } = yield* call(contract[name].call, defect)
          const error = yield* Effect.flip(exit)
          expect(error).toMatchObject({ _tag: "ConnectionLost", defect: kind, operation: name })
          expect(String(error)).toContain(`The HTTP client failed with a defect (${kind})`)
          // A retried read would get the defect again, and a send may have gone out.
          expect(asked).toBe(1)
          expect(logs).toBe("")
          expect(inspect(error)).not.toContain(token)
          expect(inspect(error)).not.toContain(recipient)
          expect(spans.map(({ attributes }) => attributes.get("error.type"))).toEqual([
            "ConnectionLost",
            "ConnectionLost"
          ])
        }
      })
  )
})
