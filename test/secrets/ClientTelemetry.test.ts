import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup, MayStart } from "@messaging-topup/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import { client, allTransports } from "../harness/Clients.ts"
import {
  contract,
  errorBody,
  type OperationName,
  operationNames,
  sendOne,
  text
} from "../harness/Contract.ts"
import { observed } from "../harness/Renderings.ts"
import { reply, reset, type Respond } from "../harness/ResponseServer.ts"
import { serving } from "../harness/Serving.ts"
import { withoutRetryDelays } from "../harness/TestTime.ts"

const templates: Readonly<Record<OperationName, string>> = {
  sendSms: "/sms/send",
  getSmsStatus: "/sms/{message_id}",
  getAirtimeStatus: "/v1/airtime/{referencecode}",
  getDataBundleStatus: "/v1/databundle/{referencecode}",
  listDataBundles: "/v1/list-bundles"
}

type Attributes = Readonly<Record<string, unknown>>

const tell = ({ attributes, kind, name }: Tracer.Span) => ({
  name,
  kind,
  attributes: Object.fromEntries(attributes)
})

/** The span of a call. */
const span = (name: OperationName, baseUrl: string, attributes: Attributes) => ({
  name,
  kind: "client",
  attributes: {
    "http.request.method": contract[name].method,
    "server.address": "127.0.0.1",
    "server.port": Number(new URL(baseUrl).port),
    "url.template": templates[name],
    ...attributes
  }
})

const parentOf = (below: Tracer.Span | undefined) =>
  Option.getOrUndefined(below?.parent ?? Option.none())

const sends = (outcome: string) => ({
  id: "messaging_topup.sends",
  type: "Counter",
  attributes: { "messaging_topup.send_outcome": outcome },
  state: { count: 1, incremental: true }
})

type Telemetry = Effect.Success<ReturnType<typeof observed>>

/** A call has one span, and a send one count and an outcome. */
const expectTelemetry = (
  { metrics, spans }: Telemetry,
  name: OperationName,
  baseUrl: string,
  ...[outcome, status, errorType]: [outcome: string, status?: number, errorType?: string]
) => {
  const attributes = {
    ...(status === undefined ? {} : { "http.response.status_code": status }),
    ...(errorType === undefined ? {} : { "error.type": errorType }),
    ...(name === "sendSms" ? { "messaging_topup.send_outcome": outcome } : {})
  }
  expect(spans.map(tell)).toEqual([span(name, baseUrl, attributes)])
  expect(metrics).toMatchObject(name === "sendSms" ? [sends(outcome)] : [])
}

describe.for(allTransports)("over %s", ([, transport]) => {
  // Failures.test.ts has the spans of failures.
  it.live.each(operationNames)("%s has one span of that name, and the counter of sends", (name) =>
    serving({ transport }, function* (service, server) {
      const { call, success, successStatus } = contract[name]
      server.respondWith(reply(successStatus, success))
      const telemetry = yield* observed(call(service))
      expectTelemetry(telemetry, name, server.baseUrl, "sent", successStatus)
      const { exit, spans } = telemetry
      expect(spans[0]?.status).toMatchObject({ _tag: "Ended", exit })
    })
  )

  it.live("a call with invalid input has no status", () =>
    serving({ transport }, function* (service, { baseUrl }) {
      const invalid = [undefined, "InvalidInput"] as const
      const read = yield* observed(service.getSmsStatus(".."))
      expectTelemetry(read, "getSmsStatus", baseUrl, "not-sent", ...invalid)
      // @ts-expect-error: an untyped caller passes a number
      const sent = yield* observed(service.sendSms({ recipient: 7, message: text }))
      expectTelemetry(sent, "sendSms", baseUrl, "not-sent", ...invalid)
    })
  )

  const done = reply(200, contract.getSmsStatus.success)
  const resent = { "http.request.resend_count": 2 }

  it.live.each<readonly [last: Respond, attributes: Attributes]>([
    [done, { "http.response.status_code": 200, ...resent }],
    [reset, { "error.type": "ConnectionLost", ...resent }]
  ])("a retried call has what its last attempt met: %o, %o", ([last, attributes]) =>
    serving({ transport, readRetries: 2 }, function* (service, server) {
      const responds = [reset, reply(503), last]
      server.respondWith((received, response) =>
        responds[server.received.length - 1]?.(received, response)
      )
      const { spans } = yield* observed(
        withoutRetryDelays(Effect.exit(service.getSmsStatus("m-1")))
      )
      expect(spans.map(tell)).toEqual([span("getSmsStatus", server.baseUrl, attributes)])
    })
  )

  it.live("an interrupted send is unknown once it started, and not-sent before", () =>
    serving({ transport }, function* (service, server) {
      const asked = yield* Deferred.make<void>()
      server.respondWith(() => Deferred.doneUnsafe(asked, Effect.void))
      const interrupted = Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(sendOne(service))
        yield* Deferred.await(asked)
        yield* Fiber.interrupt(fiber)
      })
      const end = [undefined, "interrupted"] as const
      const started = yield* observed(interrupted)
      expectTelemetry(started, "sendSms", server.baseUrl, "unknown", ...end)
      expect(started.spans[0]?.status).toMatchObject({ _tag: "Ended" })
      const refused = Effect.provideService(sendOne(service), MayStart, () => false)
      const before = yield* observed(refused)
      expectTelemetry(before, "sendSms", server.baseUrl, "not-sent", ...end)
    })
  )

  it.live("no trace header reaches the server, even if the program turns it on", () =>
    serving({ transport }, function* (service, server) {
      for (const name of operationNames) {
        const { call, success, successStatus } = contract[name]
        server.respondWith(reply(successStatus, success))
        const { exit, spans } = yield* call(service).pipe(
          Effect.withSpan("caller"),
          Effect.provideService(HttpClient.TracerPropagationEnabled, true),
          Effect.provideService(HttpClient.TracerDisabledWhen, () => false),
          observed
        )
        expect(exit).toEqual(Exit.succeed(success))
        expect(spans.map((each) => each.name)).toEqual(["caller", name])
        expect(parentOf(spans[1])).toBe(spans[0])
        const [received, ...others] = server.received
        expect(others).toEqual([])
        expect(
          Object.keys(received?.headers ?? {}).filter((header) =>
            /^(tracestate|b3|x-b3-.*|baggage|.*trace.*)$/.test(header)
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
})

it.live("without tracing, calls work and sends are counted", () =>
  serving({}, function* (service, server) {
    const untraced = <A, E>(call: Effect.Effect<A, E>) =>
      observed(Effect.withTracerEnabled(call, false))
    const { success } = contract.sendSms
    server.respondWith(reply(202, success))
    const sent = yield* untraced(sendOne(service))
    expect(sent).toMatchObject({ exit: Exit.succeed(success), spans: [] })
    expect(sent.metrics).toMatchObject([sends("sent")])
    server.respondWith(reply(404, errorBody(404)))
    const refused = yield* untraced(sendOne(service))
    expect(yield* Effect.flip(refused.exit)).toMatchObject({ _tag: "NotFound" })
    expect(refused.metrics).toMatchObject([sends("not-sent")])
    const read = yield* untraced(service.getSmsStatus("m-1"))
    expect([read.spans, read.metrics]).toEqual([[], []])
  })
)

// What a span never contains is in ClientSecrets.test.ts, and that a collector gets it in Examples.full.test.ts.
it.effect.each([
  ["https://service.test", "service.test", 443],
  ["https://service.test:8443/team", "service.test", 8443],
  ["http://localhost/team", "localhost", 80],
  ["http://[::1]:3000", "::1", 3000]
] as const)("a span has the address and port of %s, but not its path", ([baseUrl, address, port]) =>
  Effect.gen(function* () {
    const { spans } = yield* Effect.flatMap(MessagingTopup, (service) =>
      observed(service.getSmsStatus(".."))
    ).pipe(Effect.provide(client(baseUrl)))
    const server = { "server.address": address, "server.port": port }
    expect(spans.map(tell)).toEqual([
      span("getSmsStatus", baseUrl, { "error.type": "InvalidInput", ...server })
    ])
  })
)
