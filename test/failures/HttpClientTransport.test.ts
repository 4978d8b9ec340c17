import { describe, expect, it } from "@effect/vitest"
import { NodeHttpClient } from "@effect/platform-node"
import { endOfSend, MessagingTopup, MayStart } from "@messaging-topup/core"
import * as HttpClientTransport from "@messaging-topup/core/http-client"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { client } from "../harness/Clients.ts"
import { contract, errorBody, errorTags, sendOne } from "../harness/Contract.ts"
import { reply, responseServer } from "../harness/ResponseServer.ts"
import { responseText, socketServer } from "../harness/SocketServer.ts"
import { withoutRetryDelays } from "../harness/TestTime.ts"

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
