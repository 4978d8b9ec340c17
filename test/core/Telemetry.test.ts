import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup } from "@messaging-topup/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type * as Tracer from "effect/Tracer"
import {
  reply,
  type ResponseServer,
  responseServer,
  type Respond
} from "../support/ResponseServer.ts"
import { client, token, transports } from "../support/Clients.ts"
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

const routes: Readonly<Record<OperationName, string>> = {
  sendSms: "/sms/send",
  getSmsStatus: "/sms/{message_id}",
  getAirtimeStatus: "/v1/airtime/{referencecode}",
  getDataBundleStatus: "/v1/databundle/{referencecode}",
  listDataBundles: "/v1/list-bundles"
}

/** All that the span of an operation says before there is a response. */
const request = (name: OperationName, baseUrl: string) => ({
  "messaging_topup.operation": name,
  "http.request.method": contract[name].method,
  "url.template": routes[name],
  "server.address": "127.0.0.1",
  "server.port": Number(new URL(baseUrl).port)
})

const succeeded = { "messaging_topup.outcome": "success" }

const failed = (outcome: string) => ({
  "messaging_topup.outcome": outcome,
  "error.type": outcome
})

const attributesOf = (span: Tracer.Span | undefined) => Object.fromEntries(span?.attributes ?? [])

/** Its outcomes and how often each, by counter and by histogram. */
const seriesOf = (metrics: ReadonlyArray<Metric.Metric.Snapshot>) =>
  metrics.map(({ attributes, id, state }) => ({
    id,
    attributes,
    count: "count" in state ? Number(state.count) : undefined
  }))

const series = (operation: string, outcome: string, count = 1) =>
  ["messaging_topup.client.operations", "messaging_topup.client.operation.duration"].map((id) => ({
    id,
    attributes: { "messaging_topup.operation": operation, "messaging_topup.outcome": outcome },
    count
  }))

const observedAfter = <A, E>(
  server: ResponseServer,
  respond: Respond,
  call: Effect.Effect<A, E>
) => {
  server.respondWith(respond)
  return observed(call)
}

describe.for(transports)("over %s", ([, transport]) => {
  it.live.each(operationNames)("%s is one span of that name, whatever its response", (name) =>
    serving({ transport }, (service, server) =>
      Effect.gen(function* () {
        const { call, errors, success, successStatus } = contract[name]
        const responses: ReadonlyArray<readonly [number, unknown, string]> = [
          [successStatus, success, "success"],
          ...errors.map((status) => [status, errorBody(status), errorTags[status] ?? ""] as const),
          [successStatus, "<html>", "InvalidResponse"],
          [418, "", "UndocumentedStatus"]
        ]
        for (const [status, body, outcome] of responses) {
          const { metrics, spans } = yield* observedAfter(
            server,
            reply(status, body),
            call(service)
          )
          expect(spans).toHaveLength(1)
          expect(spans[0]).toMatchObject({ name, kind: "client", events: [], links: [] })
          expect(attributesOf(spans[0])).toEqual({
            ...request(name, server.baseUrl),
            "http.response.status_code": status,
            ...(outcome === "success" ? succeeded : failed(outcome))
          })
          expect(seriesOf(metrics)).toEqual(series(name, outcome))
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

  it.live.each<readonly [outcome: string, respond: Respond, timeout: "10 seconds" | "60 millis"]>([
    ["ConnectionLost", (_, response) => response.destroy(), "10 seconds"],
    ["RequestTimedOut", () => undefined, "60 millis"]
  ])("a call without a response ends as %s, and without a status", ([outcome, respond, timeout]) =>
    serving({ transport, timeout }, (service, server) =>
      Effect.gen(function* () {
        const call = service.getSmsStatus("m-1")
        const { metrics, spans } = yield* observedAfter(server, respond, call)
        expect(spans).toHaveLength(1)
        expect(attributesOf(spans[0])).toEqual({
          ...request("getSmsStatus", server.baseUrl),
          ...failed(outcome)
        })
        expect(seriesOf(metrics)).toEqual(series("getSmsStatus", outcome))
      })
    )
  )

  it.live.each([
    ["InvalidInput", ".."],
    ["ConnectionFailed", "m-1"]
  ] as const)(
    "a call that is never sent ends as %s, and without a status",
    ([outcome, messageId]) =>
      Effect.gen(function* () {
        const closed = yield* Effect.scoped(Effect.map(responseServer, ({ baseUrl }) => baseUrl))
        const { metrics, spans } = yield* Effect.flatMap(MessagingTopup, (service) =>
          observed(service.getSmsStatus(messageId))
        ).pipe(Effect.provide(client(closed, transport)))
        expect(spans).toHaveLength(1)
        expect(attributesOf(spans[0])).toEqual({
          ...request("getSmsStatus", closed),
          ...failed(outcome)
        })
        expect(seriesOf(metrics)).toEqual(series("getSmsStatus", outcome))
      })
  )

  it.live("the status stays on the span where the response breaks off", () =>
    serving({ transport }, (service, server) =>
      Effect.gen(function* () {
        const { spans } = yield* observedAfter(
          server,
          (_, response) => {
            response.writeHead(202, { "content-length": "100" })
            response.write("{", () => response.destroy())
          },
          service.sendSms({ recipient, message: text })
        )
        expect(attributesOf(spans[0])).toEqual({
          ...request("sendSms", server.baseUrl),
          "http.response.status_code": 202,
          ...failed("ConnectionLost")
        })
      })
    )
  )

  it.live("a retry is counted on the same span, which tells of the last response", () =>
    serving({ transport, readRetries: 2 }, (service, server) =>
      Effect.gen(function* () {
        const { call, success } = contract.getSmsStatus
        for (const failures of [0, 1, 2, 3]) {
          const { metrics, spans } = yield* observedAfter(
            server,
            (received, response) =>
              (server.received.length <= failures
                ? reply(503, "", { "retry-after": "0" })
                : reply(200, success))(received, response),
            call(service)
          )
          const outcome = failures < 3 ? "success" : "UndocumentedStatus"
          expect(server.received).toHaveLength(Math.min(failures, 2) + 1)
          expect(spans).toHaveLength(1)
          expect(attributesOf(spans[0])).toEqual({
            ...request("getSmsStatus", server.baseUrl),
            ...(failures === 0 ? {} : { "http.request.resend_count": Math.min(failures, 2) }),
            "http.response.status_code": failures < 3 ? 200 : 503,
            ...(outcome === "success" ? succeeded : failed(outcome))
          })
          expect(seriesOf(metrics)).toEqual(series("getSmsStatus", outcome))
        }
      })
    )
  )

  it.live("an interrupted call says so", () =>
    serving({ transport }, (service, server) =>
      Effect.gen(function* () {
        const asked = yield* Deferred.make<void>()
        const interrupted = Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(service.sendSms({ recipient, message: text }))
          yield* Deferred.await(asked)
          yield* Fiber.interrupt(fiber)
        })
        const { metrics, spans } = yield* observedAfter(
          server,
          () => Deferred.doneUnsafe(asked, Effect.void),
          interrupted
        )
        expect(spans).toHaveLength(1)
        expect(spans[0]?.status).toMatchObject({ _tag: "Ended" })
        expect(attributesOf(spans[0])).toEqual({
          ...request("sendSms", server.baseUrl),
          ...failed("interrupted")
        })
        expect(seriesOf(metrics)).toEqual(series("sendSms", "interrupted"))
      })
    )
  )

  it.live("no trace header reaches the server, not even where the program asks for it", () =>
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
          const [caller, operation, ...others] = spans
          expect([caller?.name, operation?.name, others]).toEqual(["caller", name, []])
          expect(Option.getOrUndefined(operation?.parent ?? Option.none())).toBe(caller)
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

  it.live("calls end the same, and are counted, where tracing is off", () =>
    serving({ transport }, (service, server) =>
      Effect.gen(function* () {
        const { call, success } = contract.getSmsStatus
        const untraced = Effect.withTracerEnabled(false)
        const sent = yield* observedAfter(server, reply(200, success), untraced(call(service)))
        expect(sent.exit).toEqual(Exit.succeed(success))
        const refused = reply(404, errorBody(404))
        const missing = yield* observedAfter(server, refused, untraced(call(service)))
        expect(yield* Effect.flip(missing.exit)).toMatchObject({ _tag: "NotFound" })
        expect([sent.spans, missing.spans]).toEqual([[], []])
        expect(seriesOf(sent.metrics)).toEqual(series("getSmsStatus", "success"))
        expect(seriesOf(missing.metrics)).toEqual(series("getSmsStatus", "NotFound"))
      })
    )
  )
})

describe("the metrics", () => {
  it.live("count every call in the series of its operation and outcome", () =>
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
        const expected = operationNames.flatMap((name) => [
          ...series(name, "success", 3),
          ...series(name, "InvalidRequest", 1)
        ])
        expect(seriesOf(metrics)).toHaveLength(expected.length)
        expect(seriesOf(metrics)).toEqual(expect.arrayContaining(expected))
      })
    )
  )

  it.effect("are a counter, and a histogram of seconds that includes retries", () =>
    Effect.gen(function* () {
      let attempts = 0
      const slow = HttpClient.make((asked) =>
        Effect.sync(() => {
          attempts += 1
          const body = JSON.stringify(contract.getSmsStatus.success)
          return attempts === 1
            ? new Response("", { status: 503, headers: { "retry-after": "2" } })
            : new Response(body)
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
      expect(metrics).toMatchObject([
        { type: "Counter", state: { count: 1, incremental: true } },
        { type: "Histogram", state: { count: 1, sum: 2.5, min: 2.5, max: 2.5 } }
      ])
      const [, durations] = metrics
      expect(durations?.type === "Histogram" ? durations.state.buckets : []).toEqual(
        [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30].map(
          (boundary) => [boundary, boundary < 2.5 ? 0 : 1]
        )
      )
    })
  )
})

describe("what spans and metrics tell", () => {
  it.live("is nothing personal, whatever is sent and received", () =>
    serving({}, (service, server) =>
      Effect.gen(function* () {
        const id = "id-of-the-message-81c2"
        const personal = [recipient.slice(1), text, id, token, "ACME"]
        const words = personal.join(" ")
        const calls: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
          service.sendSms({ recipient, message: text, sender_id: "ACME", webhook_url: id }),
          service.getSmsStatus(id),
          service.getAirtimeStatus(id),
          service.getDataBundleStatus(id),
          service.listDataBundles({ query: { [id]: recipient } })
        ]
        const record = { recipient, message_id: id, status: words, date_created: "", sender_id: "" }
        const envelope = { success: true, status: 202, message: words, data: [record] }
        const refusal = { success: false, error: { status: 400, title: words, detail: words } }
        for (const call of calls) {
          for (const [status, body] of [
            [200, envelope],
            [202, envelope],
            [400, refusal],
            [503, words]
          ] as const) {
            const respond = reply(status, body, { "x-echo": words })
            const { exit, texts } = yield* observedAfter(server, respond, call)
            // Effect ends a span with its exit: that of a success is what the caller asked for.
            const told = Object.entries(texts).filter(
              ([name]) => Exit.isFailure(exit) || !/: span( status)?$/.test(name)
            )
            expect(told).toHaveLength(Exit.isFailure(exit) ? 6 : 4)
            for (const word of personal) {
              expect(told.filter(([, rendering]) => rendering.includes(word))).toEqual([])
            }
          }
        }
      })
    )
  )

  it.effect.each([
    ["https://service.test", "service.test", 443],
    ["https://service.test:8443/team", "service.test", 8443],
    ["http://service.localhost/team", "service.localhost", 80],
    ["http://[::1]:3000", "[::1]", 3000]
  ] as const)("is host and port of %s, and not its path", ([baseUrl, address, port]) =>
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
      expect(attributesOf(spans[0])).toEqual({
        "messaging_topup.operation": "listDataBundles",
        "http.request.method": "GET",
        "url.template": "/v1/list-bundles",
        "server.address": address,
        "server.port": port,
        "http.response.status_code": 200,
        ...failed("InvalidResponse")
      })
    })
  )

  it.effect("is a lost connection, where the transport dies", () =>
    Effect.gen(function* () {
      const dying = HttpClient.make(() => Effect.die("A bug of the transport"))
      const { exit, metrics, spans } = yield* Effect.flatMap(MessagingTopup, (service: Service) =>
        observed(service.sendSms({ recipient, message: text }))
      ).pipe(
        Effect.provide(
          MessagingTopup.layer({ baseUrl: "https://service.test", token: Redacted.make(token) })
        ),
        Effect.provideService(HttpClient.HttpClient, dying)
      )
      expect(yield* Effect.flip(exit)).toMatchObject({ _tag: "ConnectionLost" })
      expect(attributesOf(spans[0])).toMatchObject(failed("ConnectionLost"))
      expect(seriesOf(metrics)).toEqual(series("sendSms", "ConnectionLost"))
    })
  )
})
