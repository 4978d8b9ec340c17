import { describe, expect, it, vi } from "@effect/vitest"
import { endOfSend, MessagingTopup, MayStart, sendOutcome, Transport } from "@messaging-topup/core"
import { lazyTransport } from "@messaging-topup/core/internal"
import * as FetchTransport from "@messaging-topup/core/fetch"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Scope from "effect/Scope"
import * as Layer from "effect/Layer"
import { client, type Transport as TransportLayer } from "../harness/Clients.ts"
import { withoutRetryDelays } from "../harness/TestTime.ts"
import { acceptance, contract, errorBody, recipient, sendOne } from "../harness/Contract.ts"
import { anyRoute, guarded } from "../harness/mcp/GuardedServer.ts"
import { openRespondingUpstream } from "../harness/mcp/RespondingUpstream.ts"
import { reply, responseServer } from "../harness/ResponseServer.ts"
import { socketServer } from "../harness/SocketServer.ts"
import type { ServerResponse } from "node:http"
import { Readable } from "node:stream"

/** One send; its error and its outcome. */
const failedSend = (baseUrl: string) =>
  Effect.flatMap(MessagingTopup, (service) => Effect.flip(sendOne(service))).pipe(
    Effect.map((error) => ({ error, outcome: sendOutcome(error) })),
    Effect.provide(client(baseUrl, FetchTransport.layer))
  )

/** Replaces the platform's `fetch` during the test. */
const replacedFetch = (fetch: typeof globalThis.fetch) =>
  Effect.acquireRelease(
    Effect.sync(() => vi.spyOn(globalThis, "fetch").mockImplementation(fetch)),
    (spy) => Effect.sync(() => spy.mockRestore())
  )

// SendOnce.test.ts has one that is interrupted, and PromiseClient.test.ts one that is aborted.
it.live("a call that waits for a connection until its time-out sends nothing", () =>
  Effect.gen(function* () {
    const server = yield* socketServer
    const held = Promise.withResolvers<void>()
    server.onRequest(() => held.resolve())
    const transport = NodeTransport.layerOptions({ connections: 1 })
    const one = Effect.map(Transport, (shared) => Layer.succeed(Transport, shared))
    yield* Effect.gen(function* () {
      const shared = yield* one
      const call = (timeout: "150 millis" | "30 seconds") =>
        Effect.flatMap(MessagingTopup, sendOne).pipe(
          Effect.provide(client(server.baseUrl, shared, { timeout }))
        )
      const first = yield* Effect.forkChild(Effect.exit(call("30 seconds")))
      yield* Effect.promise(() => held.promise)
      const error = yield* Effect.flip(call("150 millis"))
      expect(error).toMatchObject({
        _tag: "RequestTimedOut",
        started: false,
        sendOutcome: "not-sent",
        message: "There was no connection within 150 ms. Nothing was sent: sending again is safe"
      })
      expect(server.received).toHaveLength(1)
      yield* Fiber.interrupt(first)
    }).pipe(Effect.provide(transport))
  })
)

it("calls of a tool that wait for a connection until their claims are too old send nothing", async () => {
  const [connections, waiting] = [100, 50]
  await using upstream = await openRespondingUpstream()
  const args = ["--max-sends-per-hour", "1000"]
  await using server = await guarded(anyRoute, args, { environment: upstream.environment })
  const held = new Array<ServerResponse>()
  const isFull = Promise.withResolvers<void>()
  upstream.respondWith((_, response) => {
    if (held.push(response) === connections) isFull.resolve()
  })
  const calls = Array.from({ length: connections + waiting }, (_, at) =>
    server.send({ recipient, message: `Text ${at}` })
  )
  const claims = () => server.log.entries().filter(({ event }) => event === "sending")
  await server.server.first("every claim", () => claims().length === calls.length || undefined)
  await isFull.promise
  server.pass("14 seconds")
  for (const response of held) response.writeHead(202).end(JSON.stringify(acceptance))
  const results = await Promise.all(calls)
  expect(results.filter(({ isError }) => !isError)).toHaveLength(connections)
  expect(results.filter(({ error }) => error["code"] === "not_started")).toHaveLength(waiting)
  expect(upstream.received).toHaveLength(connections)
})

describe("a call after the scope of its transport closed", () => {
  it.live.each<readonly [string, TransportLayer, used: boolean]>([
    ["that was used", NodeTransport.layer, true],
    ["with a limit", NodeTransport.layerOptions({ connections: 1 }), true],
    ["that was never used", NodeTransport.layer, false]
  ])("sends nothing: a transport %s", ([, transport, used]) =>
    Effect.gen(function* () {
      const server = yield* responseServer
      server.respondWith(reply(202, contract.sendSms.success))
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(client(server.baseUrl, transport), scope)
      const call = Effect.flatMap(MessagingTopup, sendOne).pipe(
        Effect.provide(context),
        withoutRetryDelays
      )
      if (used) yield* call
      yield* Scope.close(scope, Exit.void)
      const error = yield* Effect.flip(call)
      const message = expect.stringContaining("(UND_ERR_DESTROYED). The transport is closed")
      expect(error).toMatchObject({ _tag: "ConnectionFailed", message })
      expect(sendOutcome(error)).toBe("not-sent")
      expect(server.received).toHaveLength(used ? 1 : 0)
    })
  )
})

describe.each([
  ["itself", identity],
  ["loaded later", (given: Transport["Service"]) => lazyTransport(Effect.succeed(given))]
] as const)("over a transport of the program that does not report starts, %s,", (_, wrapped) => {
  const transport = (send: Transport["Service"]["send"]) =>
    Layer.succeed(Transport, wrapped({ headers: {}, reportsStart: false, send }))

  const endOver = (own: TransportLayer, mayStart = true) => {
    let starts = 0
    return Effect.flatMap(MessagingTopup, sendOne).pipe(
      Effect.timeout("20 millis"),
      endOfSend,
      Effect.map(({ outcome }) => ({ outcome, starts })),
      Effect.provideService(MayStart, () => ++starts > 0 && mayStart),
      Effect.provide(client("http://127.0.0.1:1", own))
    )
  }

  it.live("a send that is interrupted may have gone out", () =>
    Effect.gen(function* () {
      const silent = transport(() => Effect.never)
      expect(yield* endOver(silent)).toEqual({ outcome: "unknown", starts: 1 })
    })
  )

  it.live("a start that the program refuses does not reach the transport", () =>
    Effect.gen(function* () {
      const called = transport(() => Effect.die("called"))
      expect(yield* endOver(called, false)).toEqual({ outcome: "not-sent", starts: 1 })
    })
  )
})

// As of node-fetch, and of cross-fetch in a browser.
describe("a fetch of the program whose responses have no web stream", () => {
  const native = globalThis.fetch

  const bodies: Readonly<Record<string, (response: Response) => unknown>> = {
    "a stream of Node": ({ body }) => body && Readable.fromWeb(body as never),
    nothing: () => undefined
  }

  it.live.each(Object.entries(bodies))("is read: its body is %s", ([, bodyOf]) =>
    Effect.gen(function* () {
      const server = yield* responseServer
      const own: typeof native = (input, init) =>
        native(input, init).then((response) => {
          const copy = response.clone()
          const body = bodyOf(response)
          return Object.defineProperty(copy, "body", { value: body })
        })
      const layer = client(server.baseUrl, FetchTransport.layerFetch(own))
      const call = Effect.provide(Effect.flatMap(MessagingTopup, sendOne), layer)
      server.respondWith(reply(202, contract.sendSms.success))
      expect(yield* call).toEqual(contract.sendSms.success)
      server.respondWith(reply(402, errorBody(402)))
      expect(yield* Effect.flip(call)).toMatchObject({ _tag: "PaymentRequired" })
    })
  )
})

describe("a response whose body fails with an error of connecting", () => {
  it.live("was started, so the outcome is that of its status", () =>
    Effect.gen(function* () {
      const broken = new ReadableStream({
        start: (controller) =>
          controller.error(Object.assign(new Error(), { code: "ECONNREFUSED" }))
      })
      yield* replacedFetch(() => Promise.resolve(new Response(broken, { status: 202 })))
      expect(yield* failedSend("http://127.0.0.1:1")).toMatchObject({
        error: { _tag: "ConnectionLost", status: 202 },
        outcome: "sent"
      })
    })
  )
})

describe("a connection that is refused, over the platform's fetch,", () => {
  const native = globalThis.fetch

  it.live("is unknown after a replaced fetch that sent, and was refused when it resent", () =>
    Effect.gen(function* () {
      const server = yield* socketServer
      server.onRequest((socket) => {
        server.stopListening()
        socket.resetAndDestroy()
      })
      yield* replacedFetch((input, init) => native(input, init).catch(() => native(input, init)))
      expect(yield* failedSend(server.baseUrl)).toMatchObject({
        error: { code: "ECONNREFUSED" },
        outcome: "unknown"
      })
      expect(server.received).toHaveLength(1)
    })
  )
})
