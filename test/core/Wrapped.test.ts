import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as FetchTransport from "@messaging-topup/core/fetch"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Stream from "effect/Stream"
import { changed, client, type Transport } from "../support/Clients.ts"
import { withoutRetryDelays } from "../support/TestTime.ts"
import { contract, recipient, text } from "../support/Contract.ts"
import { responseText, type SocketServer, socketServer } from "../support/SocketServer.ts"

type Change = Parameters<typeof changed>[1]

/** The clients that a program can wrap. */
const bases: ReadonlyArray<readonly [string, Transport]> = [
  ["undici", NodeTransport.layer],
  ["fetch", FetchTransport.layer],
  ["Effect's own fetch client", FetchHttpClient.layer]
]

/** No server listens there, and `fetch` blocks the port. */
const deadUrl = "http://127.0.0.1:9"

const accepted = responseText(202, contract.sendSms.success)

/** One send through the wrapped client, its outcome, and the number of requests at the service. */
const sendThrough = (
  transport: Transport,
  change: Change,
  prepare: (server: SocketServer) => void
) =>
  Effect.gen(function* () {
    const server = yield* socketServer
    prepare(server)
    const said = yield* Effect.flatMap(MessagingTopup, (service) =>
      service.sendSms({ recipient, message: text })
    ).pipe(
      Effect.match({ onSuccess: () => "success", onFailure: (error) => sendOutcome(error) }),
      Effect.provide(client(server.baseUrl, changed(transport, change), { timeout: "2 seconds" })),
      withoutRetryDelays
    )
    return { said, posts: server.received.length }
  })

const resets: Parameters<typeof sendThrough>[2] = (server) =>
  server.onRequest((socket, nth) => {
    if (nth === 1) server.stopListening()
    socket.resetAndDestroy()
  })

const accepts: Parameters<typeof sendThrough>[2] = (server) =>
  server.onRequest((socket) => socket.write(accepted))

const redirects: Parameters<typeof sendThrough>[2] = (server) =>
  server.onRequest((socket) =>
    socket.write(responseText(307, "", "content-length", { location: `${deadUrl}/` }))
  )

/** Wrappers that send, and then fail with the error of another request that did not start. */
const misleading: ReadonlyArray<
  readonly [what: string, change: Change, prepare: Parameters<typeof sendThrough>[2]]
> = [
  ["retries a reset, and is refused", HttpClient.retryTransient({ times: 1 }), resets],
  ["follows a redirect to a dead host", HttpClient.followRedirects(), redirects],
  ["then calls a dead host", (http) => HttpClient.tap(http, () => http.get(deadUrl)), accepts],
  ["then sends to a dead host", (http) => HttpClient.tap(http, () => http.post(deadUrl)), accepts],
  [
    "then sends an invalid request",
    (http) => HttpClient.tap(http, () => http.put(deadUrl)),
    accepts
  ],
  ["then calls no URL at all", (http) => HttpClient.tap(http, () => http.get("http://")), accepts],
  [
    "sends in an undetectable way, and then is refused",
    (http) =>
      HttpClient.transform(http, (effect, request) =>
        Effect.andThen(
          Effect.promise(() => fetch(request.url, { method: "POST", body: "{}" })),
          Effect.andThen(http.get(deadUrl), effect)
        )
      ),
    accepts
  ]
]

describe.for(bases)("a client over %s that", ([, base]) => {
  it.live.each(misleading)("%s may have sent, so the send is not retried", ([, change, prepare]) =>
    Effect.gen(function* () {
      expect(yield* sendThrough(base, change, prepare)).toEqual({ said: "unknown", posts: 1 })
    })
  )

  // Only our own transports are known to send once.
  const refused = base === FetchHttpClient.layer ? "unknown" : "not-sent"

  it.live(`gets a refused connection makes one attempt, and says ${refused}`, () =>
    Effect.gen(function* () {
      let tries = 0
      const counted: Change = HttpClient.tapRequest(() => Effect.sync(() => tries++))
      const stopped = (server: SocketServer) => server.stopListening()
      expect(yield* sendThrough(base, counted, stopped)).toEqual({ said: refused, posts: 0 })
      expect(tries).toBe(1)
    })
  )
})

/** Wrappers that read the body before the client does. */
const readers: Readonly<Record<string, readonly [said: string, read: Change]>> = {
  "as text": ["success", HttpClient.tap((response) => response.text)],
  "as JSON": ["success", HttpClient.tap((response) => response.json)],
  "as bytes": ["success", HttpClient.tap((response) => response.arrayBuffer)],
  "as a stream, so that no body is left": [
    "sent",
    HttpClient.tap((response) => Stream.runDrain(response.stream))
  ],
  "as a form, although it is not one": [
    "sent",
    HttpClient.tap((response) => Effect.exit(response.formData))
  ]
}

describe.for(bases)(
  "an accepted send over %s stays accepted if a wrapper reads the body",
  ([, base]) => {
    it.live.each(Object.entries(readers))("%s", ([, [expected, read]]) =>
      Effect.gen(function* () {
        const { posts, said } = yield* sendThrough(base, read, accepts)
        expect(said).toBe(expected)
        expect(posts).toBe(1)
      })
    )
  }
)

it.live("the maximum size also applies to a body that a wrapper read", () =>
  Effect.gen(function* () {
    const server = yield* socketServer
    accepts(server)
    const reading = changed(
      NodeTransport.layer,
      HttpClient.tap((response) => response.text)
    )
    const error = yield* Effect.flatMap(MessagingTopup, (service) =>
      Effect.flip(service.sendSms({ recipient, message: text }))
    ).pipe(Effect.provide(client(server.baseUrl, reading, { maxBodyBytes: 10 })))
    expect(error).toMatchObject({ _tag: "InvalidResponse", problem: "more than 10 bytes" })
    expect(sendOutcome(error)).toBe("sent")
  })
)

it.live("Effect's own fetch client follows no redirect", () =>
  Effect.gen(function* () {
    const server = yield* socketServer
    server.onRequest((socket) =>
      socket.write(responseText(307, "", "content-length", { location: "/elsewhere" }))
    )
    const error = yield* Effect.flatMap(MessagingTopup, (service) =>
      Effect.flip(service.sendSms({ recipient, message: text }))
    ).pipe(Effect.provide(client(server.baseUrl, FetchHttpClient.layer)))
    expect(error).toMatchObject({ _tag: "UndocumentedStatus", status: 307 })
    expect(server.received).toHaveLength(1)
  })
)

it.live("a client that retries refused connections over our transport sends nothing", () =>
  Effect.gen(function* () {
    const stopped = (server: SocketServer) => server.stopListening()
    const retried: Change = HttpClient.retryTransient({ times: 2 })
    for (const base of [NodeTransport.layer, FetchTransport.layer]) {
      expect(yield* sendThrough(base, retried, stopped)).toEqual({ said: "not-sent", posts: 0 })
    }
  })
)
