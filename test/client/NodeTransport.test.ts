import { describe, expect, it, vi } from "@effect/vitest"
import { ConfigurationError, MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as HttpClientTransport from "@messaging-topup/core/http-client"
import * as NodeTransport from "@messaging-topup/core/node"
import manifest from "@messaging-topup/core/package.json" with { type: "json" }
import { createClient } from "@messaging-topup/core/promise"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { createServer, globalAgent } from "node:http"
import { connect, type Socket } from "node:net"
import { Agent, getGlobalDispatcher } from "undici"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { certificateFor } from "../harness/Certificate.ts"
import { client, token, transports, type Transport } from "../harness/Clients.ts"
import { withoutRetryDelays } from "../harness/TestTime.ts"
import { contract, errorBody, sendOne } from "../harness/Contract.ts"
import { reply, responseServer } from "../harness/ResponseServer.ts"
import { serving, servingSockets } from "../harness/Serving.ts"
import { responseText, socketServer } from "../harness/SocketServer.ts"
import { listening } from "../harness/Listening.ts"
import { tlsServer, trusting } from "../harness/TlsServer.ts"

const send = Effect.flatMap(MessagingTopup, sendOne)

const sendTo = (baseUrl: string, transport: Transport) =>
  Effect.exit(send).pipe(Effect.provide(client(baseUrl, transport)), withoutRetryDelays)

const succeeded = Exit.succeed(contract.sendSms.success)

describe("each request", () => {
  it.live("names this library, and the program that the options name", () =>
    Effect.gen(function* () {
      const agents: Array<string | undefined> = []
      for (const transport of [
        NodeTransport.layer,
        NodeTransport.layerOptions({ userAgent: "orders/2.1 (eu)" }),
        NodeTransport.layerDispatcher(getGlobalDispatcher()),
        ...transports.map(([, each]) => each),
        Layer.provide(HttpClientTransport.layer, FetchHttpClient.layer)
      ]) {
        yield* serving({ transport }, function* (service, server) {
          server.respondWith(reply(200, contract.getSmsStatus.success))
          yield* service.getSmsStatus("m-1")
          agents.push(server.received[0]?.headers["user-agent"])
        })
      }
      const own = `messaging-topup/${manifest.version}`
      expect(agents).toEqual([own, `${own} orders/2.1 (eu)`, own, own, own, own])
    })
  )
})

describe("a compressed response", () => {
  const codings: Readonly<Record<string, readonly [name: string, (body: string) => Buffer]>> = {
    gzip: ["gzip", gzipSync],
    "gzip with its old name": ["x-gzip", gzipSync],
    "GZIP in capitals": ["GZIP", gzipSync],
    deflate: ["deflate", deflateSync],
    "deflate without its header": ["deflate", deflateRawSync],
    br: ["br", brotliCompressSync]
  }

  /** Compressed, it is smaller than the maximum: 194 kB. */
  const bomb = gzipSync(Buffer.alloc(200_000_000, " "))

  describe.for(transports)("over %s", ([name, transport]) => {
    it.live.each(Object.entries(codings))("in %s is read", ([, [coding, compress]]) =>
      serving({ transport }, function* (service, server) {
        const compressed = (status: number, body: object) =>
          reply(status, compress(JSON.stringify(body)), { "content-encoding": coding })
        server.respondWith(compressed(202, contract.sendSms.success))
        expect(yield* sendOne(service)).toEqual(contract.sendSms.success)
        const asked = name === "fetch" ? /gzip/ : /^gzip, deflate, br$/
        expect(server.received[0]?.headers["accept-encoding"]).toMatch(asked)
        server.respondWith(compressed(402, errorBody(402)))
        expect(yield* Effect.flip(sendOne(service))).toMatchObject({
          _tag: "PaymentRequired",
          error: { title: "A title" }
        })
      })
    )

    it.live("that is invalid or incomplete is a typed error", () =>
      serving({ transport }, function* (service, server) {
        const body = gzipSync(JSON.stringify(contract.sendSms.success))
        for (const bytes of [Buffer.from("{}"), body.subarray(0, -12), body.subarray(0, 5)]) {
          server.respondWith(reply(202, bytes, { "content-encoding": "gzip" }))
          const error = yield* Effect.flip(sendOne(service))
          expect(["ConnectionLost", "InvalidResponse"]).toContain(error._tag)
          expect(error).toMatchObject({ status: 202 })
          // Node's fetch gives what it could decompress, which may be nothing.
          const isEmpty = error._tag === "InvalidResponse" && error.body === ""
          expect(sendOutcome(error)).toBe(isEmpty ? "unknown" : "sent")
        }
        // The connection of an aborted body is no longer in use.
        server.respondWith(reply(202, contract.sendSms.success))
        expect(yield* sendOne(service)).toEqual(contract.sendSms.success)
      })
    )

    it.live(
      "in an unsupported coding is an InvalidResponse, and without a byte an empty body",
      () =>
        serving({ transport }, function* (service, server) {
          const read = Effect.flip(service.getSmsStatus("m-1"))
          const body = Buffer.from("any bytes")
          server.respondWith(reply(200, body, { "content-encoding": "compress" }))
          expect(yield* read).toMatchObject({ _tag: "InvalidResponse" })
          server.respondWith(reply(503, "", { "content-encoding": "gzip" }))
          expect(yield* read).toMatchObject({ _tag: "UndocumentedStatus", body: "" })
        })
    )

    it.live("that is larger than the maximum after decompression is cut", () =>
      serving({ transport, maxBodyBytes: 1_000_000 }, function* (service, server) {
        server.respondWith(reply(200, bomb, { "content-encoding": "gzip" }))
        const before = process.memoryUsage().rss
        const error = yield* Effect.flip(service.getSmsStatus("m-1"))
        expect(error).toMatchObject({
          _tag: "InvalidResponse",
          problem: "more than 1000000 bytes"
        })
        expect(process.memoryUsage().rss - before, name).toBeLessThan(100_000_000)
      })
    )
  })

  // Not over fetch: Node's own takes the end of the compressed data for the end of the body, and reads on.
  it.live("that goes on without end behind its end is cut", () =>
    servingSockets({ maxBodyBytes: 1_000_000, timeout: "10 seconds" }, function* (service, server) {
      const closed = Promise.withResolvers<void>()
      const complete = gzipSync(JSON.stringify(contract.sendSms.success))
      server.onRequest((socket) => {
        socket.write("HTTP/1.1 202 Any\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n")
        socket.write(complete)
        const more = Buffer.alloc(65_536)
        const goOn = () => {
          while (!socket.destroyed && socket.write(more));
        }
        socket.on("drain", goOn).on("close", () => closed.resolve())
        goOn()
      })
      expect(yield* Effect.flip(sendOne(service))).toMatchObject({
        _tag: "InvalidResponse",
        problem: "more than 1000000 bytes",
        sendOutcome: "unknown"
      })
      expect(server.received).toHaveLength(1)
      yield* Effect.promise(() => closed.promise)
    })
  )
})

const certificate = certificateFor("127.0.0.1")

const tlsService = tlsServer(
  certificate,
  ({ response }) => response(202, contract.sendSms.success),
  ["http/1.1"]
)

const proxyNames = [
  "http_proxy",
  "HTTP_PROXY",
  "https_proxy",
  "HTTPS_PROXY",
  "no_proxy",
  "NO_PROXY",
  "NODE_USE_ENV_PROXY"
]

/** The types of Node do not have them. */
const optionsOf = (agent: object): { proxyEnv?: unknown } =>
  Predicate.hasProperty(agent, "options") && Predicate.isObject(agent.options) ? agent.options : {}

/**
 * Runs with these variables only, and with Node's switch for proxies of the environment. Node before 22.21 and Deno
 * have only the variable.
 */
const environment = (variables: Readonly<Record<string, string>>, isOn = true) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      for (const name of proxyNames) vi.stubEnv(name, variables[name])
      const options = optionsOf(globalAgent)
      const { proxyEnv } = options
      options.proxyEnv = isOn ? process.env : undefined
      return () => {
        options.proxyEnv = proxyEnv
        vi.unstubAllEnvs()
      }
    }),
    (restore) => Effect.sync(restore)
  )

/** A proxy that opens tunnels, and the requested hosts. */
const tunnels = Effect.gen(function* () {
  const asked: Array<string> = []
  const server = createServer().on("connect", ({ url = "" }, caller: Socket) => {
    asked.push(url)
    const target = connect(Number(url.split(":").at(-1)), "127.0.0.1")
    for (const socket of [caller, target]) socket.on("error", () => caller.destroy())
    caller.write("HTTP/1.1 200 Connection established\r\n\r\n")
    caller.pipe(target).pipe(caller)
  })
  const { port } = yield* listening(server)
  return { url: `http://127.0.0.1:${port}`, asked }
})

describe("a proxy", () => {
  const through = (proxy: string, baseUrl: string) =>
    Effect.andThen(
      environment({ HTTP_PROXY: proxy, HTTPS_PROXY: proxy }),
      sendTo(baseUrl, NodeTransport.layer)
    ).pipe(Effect.scoped)

  it.live("over TLS is trusted by the same authorities as the service", () =>
    Effect.gen(function* () {
      const { baseUrl: url } = yield* tlsService
      const sending = through(url, "http://127.0.0.1:1")
      expect(sendOutcome(yield* sending)).toBe("not-sent")
      yield* trusting(certificate)
      expect(yield* sending).toEqual(succeeded)
    })
  )

  it.live("is that of the environment, with its exceptions, if Node's switch is on", () =>
    Effect.gen(function* () {
      const proxy = yield* tunnels
      const { baseUrl } = yield* tlsService
      yield* trusting(certificate)
      const used = { HTTPS_PROXY: proxy.url }
      // How undici reads them is its own affair: NO_PROXY is one of them.
      const cases: ReadonlyArray<
        readonly [variables: Readonly<Record<string, string>>, asked: number, isOn?: boolean]
      > = [
        [used, 1],
        [{ ...used, NO_PROXY: "127.0.0.1" }, 0],
        [{ HTTPS_PROXY: "" }, 0],
        [used, 0, false],
        [{ ...used, NODE_USE_ENV_PROXY: "0" }, 0, false],
        [{ ...used, NODE_USE_ENV_PROXY: "1" }, 1, false],
        [{ HTTPS_PROXY: "socks5://127.0.0.1:1" }, 0, false]
      ]
      for (const [variables, asked, isOn] of cases) {
        const before = proxy.asked.length
        const sent = Effect.andThen(
          environment(variables, isOn),
          sendTo(baseUrl, NodeTransport.layer)
        )
        expect(yield* Effect.scoped(sent)).toEqual(succeeded)
        expect(proxy.asked.length - before).toBe(asked)
      }
    })
  )

  const wrong = ["localhost:3128", "not a url", "socks5://127.0.0.1:1"]

  it.live.each([
    ...wrong.flatMap((value) => proxyNames.slice(0, 4).map((name) => [name, value, name] as const)),
    ["HTTP_PROXY", "http://user:%zz@127.0.0.1:1", "HTTP_PROXY or HTTPS_PROXY"] as const
  ])("with an invalid URL fails when the layer is built: %s=%s", ([name, value, setting]) =>
    Effect.gen(function* () {
      yield* environment({ [name]: value })
      const error = yield* Effect.flip(Effect.scoped(Layer.build(NodeTransport.layer)))
      expect(error).toBeInstanceOf(ConfigurationError)
      expect(error).toMatchObject({ setting })
      expect(error.message).not.toContain(value)
      const create = () => createClient({ baseUrl: "https://service.test", token })
      expect(create).toThrow(expect.objectContaining({ setting, message: error.message }))
    })
  )

  it.live("gets no more connections than the options allow", () =>
    Effect.gen(function* () {
      const proxy = yield* socketServer
      proxy.onRequest((socket) =>
        setTimeout(() => socket.write(responseText(202, contract.sendSms.success)), 30)
      )
      yield* environment({ HTTP_PROXY: proxy.baseUrl })
      const transport = NodeTransport.layerOptions({ connections: 3 })
      yield* Effect.flatMap(MessagingTopup, (service) =>
        Effect.forEach(Array.from({ length: 12 }), () => sendOne(service), {
          concurrency: "unbounded"
        })
      ).pipe(Effect.provide(client("http://127.0.0.1:1", transport)))
      expect(proxy.received).toHaveLength(12)
      expect(proxy.maxConnections()).toBe(3)
    })
  )

  // NodeProcess.full.test.ts has the time-out of a connection.
  it.live.each(["http", "https"])(
    "over %s that does not respond to the attempt in time sends nothing",
    (scheme) =>
      Effect.gen(function* () {
        const proxy = yield* socketServer
        proxy.onRequest(() => {})
        yield* environment({ HTTPS_PROXY: proxy.baseUrl.replace("http:", `${scheme}:`) })
        const target = client("https://127.0.0.1:1", NodeTransport.layer, { timeout: "100 millis" })
        const error = yield* Effect.provide(Effect.flip(send), target)
        expect(error).toMatchObject({ _tag: "RequestTimedOut", started: false })
        expect(error.sendOutcome).toBe("not-sent")
      })
  )

  it.live("for http passes on a 407 of what is behind it, so the outcome is unknown", () =>
    Effect.gen(function* () {
      const proxy = yield* socketServer
      proxy.onRequest((socket) => socket.write(responseText(407, "accepted, then refused")))
      const exit = yield* through(proxy.baseUrl, "http://127.0.0.1:1")
      expect(Exit.findErrorOption(exit)).toMatchObject({
        value: { _tag: "UndocumentedStatus", status: 407, body: "accepted, then refused" }
      })
      expect(sendOutcome(exit)).toBe("unknown")
      expect(proxy.received).toHaveLength(1)
    })
  )

  const refusals: Readonly<Record<string, (caller: Socket) => void>> = {
    "requires credentials": (socket) => {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")
    },
    "does not reach the service": (socket) => {
      socket.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n")
    },
    "hangs up": (socket) => socket.destroy()
  }

  it.live.each(Object.entries(refusals))("that %s sends nothing", ([, refuse]) =>
    Effect.gen(function* () {
      const proxy = yield* socketServer
      proxy.onRequest(refuse)
      const { baseUrl } = yield* tlsService
      const exit = yield* through(proxy.baseUrl, baseUrl)
      expect(Exit.findErrorOption(exit)).toMatchObject({ value: { _tag: "ConnectionFailed" } })
      expect(sendOutcome(exit)).toBe("not-sent")
    })
  )
})

describe("a service that requires a client certificate, and gets none, sends nothing", () => {
  /** The refusal of TLS 1.3 comes after the handshake, so the request may have started. */
  it.live.each([
    ["TLSv1.2", "ConnectionFailed", "not-sent"],
    ["TLSv1.3", "ConnectionLost", "unknown"]
  ] as const)("and over %s, the failure is %s, %s", ([version, _tag, outcome]) =>
    Effect.gen(function* () {
      const options = {
        ...certificate,
        requestCert: true,
        minVersion: version,
        maxVersion: version
      }
      const server = yield* tlsServer(options, () => {}, ["http/1.1"])
      yield* trusting(certificate)
      const exit = yield* sendTo(server.baseUrl, NodeTransport.layer)
      expect(Exit.findErrorOption(exit)).toMatchObject({ value: { _tag } })
      expect(sendOutcome(exit)).toBe(outcome)
      expect(server.received).toEqual([])
    })
  )
})

describe("a program's own dispatcher", () => {
  // PromiseConnections.test.ts: it is used, and not closed.
  it.live("can change the headers of one call, and the next call has its own", () =>
    Effect.gen(function* () {
      const server = yield* responseServer
      server.respondWith(reply(200, contract.getSmsStatus.success))
      const calls: Array<string> = []
      const changing = new Agent({ connections: 1 }).compose((dispatch) => (options, handler) => {
        calls.push("call")
        Object.assign(options.headers ?? {}, { [`x-${calls.length}`]: "added" })
        return dispatch(options, handler)
      })
      const read = Effect.flatMap(MessagingTopup, (service) => service.getSmsStatus("m-1"))
      const transport = NodeTransport.layerDispatcher(changing)
      yield* Effect.andThen(read, read).pipe(Effect.provide(client(server.baseUrl, transport)))
      expect(server.received.map(({ headers }) => [headers["x-1"], headers["x-2"]])).toEqual([
        ["added", undefined],
        [undefined, "added"]
      ])
    })
  )
})
