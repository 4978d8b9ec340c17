import { describe, expect, it } from "@effect/vitest"
import { NodeHttpClient } from "@effect/platform-node"
import { endOfSend, MessagingTopup, MayStart } from "@messaging-topup/core"
import * as HttpClientTransport from "@messaging-topup/core/http-client"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { client } from "../harness/Clients.ts"
import { contract, errorBody, errorTags, sendOne } from "../harness/Contract.ts"
import { reply, responseServer } from "../harness/ResponseServer.ts"
import { responseText, socketServer } from "../harness/SocketServer.ts"
import { turns, withoutRetryDelays } from "../harness/TestTime.ts"

type Http = Layer.Layer<HttpClient.HttpClient>
type Change = (client: HttpClient.HttpClient) => HttpClient.HttpClient

const clients: ReadonlyArray<readonly [string, Http]> = [
  ["Effect's fetch client", FetchHttpClient.layer],
  ["Effect's undici client", NodeHttpClient.layerUndici]
]

const over = (http: Http, change: Change = (same) => same) =>
  HttpClientTransport.layer.pipe(
    Layer.provide(Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, change))),
    Layer.provide(http)
  )

const layerInit = (init: RequestInit) => Layer.succeed(FetchHttpClient.RequestInit, init)

const send = Effect.flatMap(MessagingTopup, sendOne)

/** No server listens there. */
const deadUrl = "http://127.0.0.1:9"

/** One send, what became of it, and the number of requests at the service. */
const sendOver = (transport: ReturnType<typeof over>) =>
  Effect.gen(function* () {
    const server = yield* socketServer
    server.onRequest((socket) => socket.write(responseText(202, contract.sendSms.success)))
    let starts = 0
    const said = yield* send.pipe(
      Effect.match({
        onSuccess: () => "success",
        onFailure: ({ _tag, sendOutcome: outcome }) => `${_tag}: ${outcome}`
      }),
      Effect.provideService(MayStart, () => ++starts > 0),
      Effect.provide(client(server.baseUrl, transport)),
      withoutRetryDelays
    )
    return { said, starts, posts: server.received.length }
  })

it.live("Effect's fetch client follows no redirect, whatever else its RequestInit says", () =>
  Effect.gen(function* () {
    const server = yield* responseServer
    const init = { headers: { "x-own": "kept" } }
    const transport = over(Layer.provide(FetchHttpClient.layer, layerInit(init)))
    for (const status of [301, 302, 303, 307, 308]) {
      server.respondWith(reply(status, "", { location: "/elsewhere" }))
      const end = yield* Effect.provide(endOfSend(send), client(server.baseUrl, transport))
      expect(end).toMatchObject({ outcome: "unknown", error: { _tag: "UndocumentedStatus" } })
      expect(server.received).toMatchObject([{ method: "POST", headers: { "x-own": "kept" } }])
    }
  })
)

/** A client that never responds, and whose finalizer waits for the test. */
const slowToEnd = Effect.gen(function* () {
  const [hasBegun, mayEnd] = [yield* Latch.make(), yield* Latch.make()]
  const http = HttpClient.make(() =>
    hasBegun.open.pipe(
      Effect.andThen(Effect.never),
      Effect.onInterrupt(() => mayEnd.await)
    )
  )
  const transport = over(Layer.succeed(HttpClient.HttpClient, http))
  return { hasBegun, mayEnd, transport }
})

it.live("the interruption of a call waits until the client has ended", () =>
  Effect.gen(function* () {
    const { hasBegun, mayEnd, transport } = yield* slowToEnd
    const sending = yield* Effect.provide(endOfSend(send), client(deadUrl, transport)).pipe(
      Effect.forkChild
    )
    yield* hasBegun.await
    const interrupting = yield* Effect.forkChild(Fiber.interrupt(sending))
    yield* turns(10)
    expect(interrupting.pollUnsafe()).toBeUndefined()
    yield* mayEnd.open
    yield* Fiber.join(interrupting)
    expect(sending.pollUnsafe()).toBeDefined()
  })
)

it.live("a time-out does not wait for the client, which ends with the layer", () =>
  Effect.gen(function* () {
    const { mayEnd, transport } = yield* slowToEnd
    const scope = yield* Scope.make()
    const layer = client(deadUrl, transport, { timeout: "20 millis" })
    const services = yield* Layer.buildWithScope(layer, scope)
    const error = yield* Effect.flip(Effect.provide(send, services))
    expect(error).toMatchObject({ _tag: "RequestTimedOut", started: true, sendOutcome: "unknown" })
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* turns(10)
    expect(closing.pollUnsafe()).toBeUndefined()
    yield* mayEnd.open
    yield* Fiber.join(closing)
    expect(
      yield* Effect.flip(Effect.provide(send, services)).pipe(withoutRetryDelays)
    ).toMatchObject({
      _tag: "ConnectionFailed",
      message: expect.stringContaining("The transport is closed")
    })
  })
)

describe.for(clients)("over %s", ([, http]) => {
  it.live("a client that fails for a status gives the documented errors", () =>
    Effect.gen(function* () {
      const server = yield* responseServer
      const transport = over(http, HttpClient.filterStatusOk)
      for (const status of [400, 402, 500, 418]) {
        server.respondWith(reply(status, errorBody(status)))
        const error = yield* Effect.flip(send).pipe(
          Effect.provide(client(server.baseUrl, transport))
        )
        expect(error).toMatchObject({ _tag: errorTags[status] ?? "UndocumentedStatus", status })
      }
    })
  )

  /** Middleware that sends, and then fails with the error of another request that did not start. */
  const misleading: ReadonlyArray<readonly [what: string, change: Change]> = [
    ["then calls a dead host", (given) => HttpClient.tap(given, () => given.get(deadUrl))],
    ["then calls no URL at all", (given) => HttpClient.tap(given, () => given.get("http://"))],
    ["then interrupts itself", (given) => HttpClient.tap(given, () => Effect.interrupt)],
    ["then dies", (given) => HttpClient.tap(given, () => Effect.die(new TypeError("a defect")))]
  ]

  it.live.each(misleading)("a client that %s may have sent", ([, change]) =>
    Effect.gen(function* () {
      expect(yield* sendOver(over(http, change))).toEqual({
        said: "ConnectionLost: unknown",
        starts: 1,
        posts: 1
      })
    })
  )

  /** Middleware that reads the body before the client does. */
  const readers: Readonly<Record<string, Change>> = {
    "as text": HttpClient.tap((response) => response.text),
    "as a stream, so that no body is left": HttpClient.tap((response) =>
      Stream.runDrain(response.stream)
    )
  }

  it.live.each(Object.entries(readers))(
    "an accepted send is accepted, or unknown without its body, if it is read %s",
    ([, change]) =>
      Effect.gen(function* () {
        const { posts, said } = yield* sendOver(over(http, change))
        expect(["success", "ConnectionLost: sent", "InvalidResponse: unknown"]).toContain(said)
        expect(posts).toBe(1)
      })
  )
})
