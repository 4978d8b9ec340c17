import { describe, expect, it } from "@effect/vitest"
import { ConfigurationError, MessagingTopup, sendOutcome } from "@messaging-topup/core"
import manifest from "@messaging-topup/core/package.json" with { type: "json" }
import * as NodeTransport from "@messaging-topup/core/node"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { once } from "node:events"
import { createServer, request } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { connect, type Socket } from "node:net"
import { Agent } from "undici"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { type Certificate, certificateFor } from "../support/Certificate.ts"
import { client, transports, type Transport } from "../support/Clients.ts"
import { withoutRetryDelays } from "../support/TestTime.ts"
import { contract, errorBody, recipient, text } from "../support/Contract.ts"
import { reply, responseServer } from "../support/ResponseServer.ts"
import { serving } from "../support/Serving.ts"
import { responseText, socketServer } from "../support/SocketServer.ts"
import { silentHost } from "../support/SilentHost.ts"
import { portOf } from "../support/FreePort.ts"

const send = Effect.flatMap(MessagingTopup, (service) =>
  service.sendSms({ recipient, message: text })
)

const sendTo = (baseUrl: string, transport: Transport) =>
  Effect.exit(send).pipe(Effect.provide(client(baseUrl, transport)), withoutRetryDelays)

const succeeded = Exit.succeed(contract.sendSms.success)

describe("an option is refused that is", () => {
  it.effect.each<readonly [setting: string, options: object, problem: RegExp]>([
    ["connections", { connections: 0 }, /at least 1/],
    ["connections", { connections: 1.5 }, /whole number/],
    ["connections", { connections: "many" }, /whole number/],
    ["connectTimeout", { connectTimeout: 0 }, /positive, finite/],
    ["connectTimeout", { connectTimeout: "soon" }, /positive, finite|30 seconds/],
    ["proxy", { proxy: "proxy.example.com:3128" }, /https?:\/\//],
    ["proxy", { proxy: "socks5://127.0.0.1" }, /https?:\/\//],
    ["userAgent", { userAgent: "one\r\nx: y" }, /ASCII/],
    ["userAgent", { userAgent: "" }, /ASCII/],
    ["proxies", { proxies: "env" }, /no such option; the options are connections/],
    ["options", { "+15550100123": "env" }, /no such option/]
  ])("%s: %o", ([setting, options, problem]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Effect.scoped(Layer.build(NodeTransport.layerOptions(options)))
      )
      expect(error).toBeInstanceOf(ConfigurationError)
      expect(error).toMatchObject({ setting, problem: expect.stringMatching(problem) })
    })
  )
})

describe("each request", () => {
  it.live("names this library, and the program that the options name", () =>
    Effect.gen(function* () {
      const agents: Array<string | undefined> = []
      for (const transport of [
        NodeTransport.layer,
        NodeTransport.layerOptions({ userAgent: "orders/2.1 (eu)" }),
        ...transports.map(([, each]) => each)
      ]) {
        yield* serving({ transport }, (service, server) =>
          Effect.gen(function* () {
            server.respondWith(reply(200, contract.getSmsStatus.success))
            yield* service.getSmsStatus("m-1")
            agents.push(server.received[0]?.headers["user-agent"])
          })
        )
      }
      const own = `messaging-topup/${manifest.version}`
      expect(agents).toEqual([own, `${own} orders/2.1 (eu)`, own, own, own])
    })
  )

  it.live("uses no more connections than the options allow", () =>
    Effect.gen(function* () {
      const server = yield* socketServer
      server.onRequest((socket) => socket.write(responseText(202, contract.sendSms.success)))
      yield* Effect.all(
        Array.from({ length: 300 }, () => send),
        { concurrency: "unbounded" }
      ).pipe(Effect.provide(client(server.baseUrl, NodeTransport.layerOptions({ connections: 3 }))))
      expect(server.received).toHaveLength(300)
      expect(server.maxConnections()).toBe(3)
    })
  )

  it.live("fails if no connection is made within connectTimeout", () =>
    Effect.gen(function* () {
      const { port } = yield* silentHost
      const error = yield* Effect.flatMap(MessagingTopup, (service) =>
        Effect.flip(service.getSmsStatus("m-1"))
      ).pipe(
        Effect.provide(
          client(
            `http://127.0.0.1:${port}`,
            NodeTransport.layerOptions({ connectTimeout: "100 millis" })
          )
        )
      )
      expect(error).toMatchObject({ _tag: "ConnectionFailed", code: "UND_ERR_CONNECT_TIMEOUT" })
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

  const bomb = gzipSync(Buffer.alloc(200_000_000, " "))

  describe.for(transports)("over %s", ([name, transport]) => {
    it.live.each(Object.entries(codings))("in %s is read", ([, [coding, compress]]) =>
      serving({ transport }, (service, server) =>
        Effect.gen(function* () {
          const compressed = (status: number, body: object) =>
            reply(status, compress(JSON.stringify(body)), { "content-encoding": coding })
          server.respondWith(compressed(202, contract.sendSms.success))
          expect(yield* service.sendSms({ recipient, message: text })).toEqual(
            contract.sendSms.success
          )
          const asked = name === "fetch" ? /gzip/ : /^gzip, deflate, br$/
          expect(server.received[0]?.headers["accept-encoding"]).toMatch(asked)
          server.respondWith(compressed(402, errorBody(402)))
          expect(yield* Effect.flip(service.sendSms({ recipient, message: text }))).toMatchObject({
            _tag: "PaymentRequired",
            error: { title: "A title" }
          })
        })
      )
    )

    it.live("that is invalid or incomplete is a typed error", () =>
      serving({ transport }, (service, server) =>
        Effect.gen(function* () {
          const body = gzipSync(JSON.stringify(contract.sendSms.success))
          for (const bytes of [Buffer.from("{}"), body.subarray(0, -12), body.subarray(0, 5)]) {
            server.respondWith(reply(202, bytes, { "content-encoding": "gzip" }))
            const error = yield* Effect.flip(service.sendSms({ recipient, message: text }))
            expect(["ConnectionLost", "InvalidResponse"]).toContain(error._tag)
            expect(error).toMatchObject({ status: 202 })
            expect(sendOutcome(error)).toBe("sent")
          }
          // The connection of an aborted body is no longer in use.
          server.respondWith(reply(202, contract.sendSms.success))
          expect(yield* service.sendSms({ recipient, message: text })).toEqual(
            contract.sendSms.success
          )
        })
      )
    )

    it.live("in an unsupported coding is an InvalidResponse", () =>
      serving({ transport }, (service, server) =>
        Effect.gen(function* () {
          const body = Buffer.from("any bytes")
          server.respondWith(reply(200, body, { "content-encoding": "compress" }))
          expect(yield* Effect.flip(service.getSmsStatus("m-1"))).toMatchObject({
            _tag: "InvalidResponse"
          })
        })
      )
    )

    it.live("without a byte is an empty body", () =>
      serving({ transport }, (service, server) =>
        Effect.gen(function* () {
          server.respondWith(reply(503, "", { "content-encoding": "gzip" }))
          expect(yield* Effect.flip(service.getSmsStatus("m-1"))).toMatchObject({
            _tag: "UndocumentedStatus",
            body: ""
          })
        })
      )
    )

    it.live("that is larger than the maximum after decompression is cut", () =>
      serving({ transport, maxBodyBytes: 100_000 }, (service, server) =>
        Effect.gen(function* () {
          server.respondWith(reply(200, bomb, { "content-encoding": "gzip" }))
          const before = process.memoryUsage().rss
          const error = yield* Effect.flip(service.getSmsStatus("m-1"))
          expect(error).toMatchObject({
            _tag: "InvalidResponse",
            problem: "more than 100000 bytes"
          })
          expect(process.memoryUsage().rss - before, name).toBeLessThan(100_000_000)
        })
      )
    )
  })
})

/** A TLS server that accepts sends, and can require a client certificate. */
const tlsService = (certificate: Certificate, clients?: Certificate) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createTlsServer(
        {
          ...certificate,
          ...(clients === undefined
            ? {}
            : { ca: clients.cert, requestCert: true, rejectUnauthorized: true })
        },
        (_, response) => response.writeHead(202).end(JSON.stringify(contract.sendSms.success))
      ).listen(0, "127.0.0.1")
      await once(server, "listening")
      const port = portOf(server)
      return { baseUrl: `https://127.0.0.1:${port}`, server }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

describe("TLS", () => {
  const certificate = certificateFor("127.0.0.1")

  it.live("trusts the authorities that the options name", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* tlsService(certificate)
      for (const ca of [certificate.cert, [certificate.cert]]) {
        expect(yield* sendTo(baseUrl, NodeTransport.layerOptions({ ca }))).toEqual(succeeded)
      }
      expect(sendOutcome(yield* sendTo(baseUrl, NodeTransport.layer))).toBe("not-sent")
    })
  )

  it.live("sends the client's certificate", () =>
    Effect.gen(function* () {
      const own = certificateFor("a-client")
      const { baseUrl } = yield* tlsService(certificate, own)
      const ca = certificate.cert
      const transport = NodeTransport.layerOptions({ ca, cert: own.cert, key: own.key })
      expect(yield* sendTo(baseUrl, transport)).toEqual(succeeded)
      expect(yield* sendTo(baseUrl, NodeTransport.layerOptions({ ca }))).not.toEqual(succeeded)
    })
  )
})

interface Proxy {
  readonly url: string
  /** The requested hosts. */
  readonly asked: ReadonlyArray<string>
}

/** A proxy that the test controls. */
const proxyServer = (open: (caller: Socket, target: () => Socket) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const asked: Array<string> = []
      const sockets = new Set<Socket>()
      const server = createServer((received, response) => {
        const { headers, method = "GET", url = "" } = received
        asked.push(url)
        received.pipe(
          request(url, { method, headers }, (answer) => {
            response.writeHead(answer.statusCode ?? 502, answer.headers)
            answer.pipe(response)
          })
        )
      })
      server.on("connect", ({ url = "" }, caller: Socket) => {
        asked.push(url)
        sockets.add(caller)
        caller.on("error", () => caller.destroy())
        open(caller, () => {
          const target = connect(Number(url.split(":").at(-1)), "127.0.0.1")
          sockets.add(target.on("error", () => caller.destroy()))
          return target
        })
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      const port = portOf(server)
      const close = () => {
        server.close()
        server.closeAllConnections()
        for (const socket of sockets) socket.destroy()
      }
      return { url: `http://127.0.0.1:${port}`, asked, close }
    }),
    ({ close }) => Effect.sync(close)
  )

const tunnel = (caller: Socket, target: () => Socket): void => {
  caller.write("HTTP/1.1 200 Connection established\r\n\r\n")
  const upstream = target()
  caller.pipe(upstream).pipe(caller)
}

describe("a proxy", () => {
  const certificate = certificateFor("127.0.0.1")
  const ca = certificate.cert

  const through = (proxy: Proxy, baseUrl: string) =>
    sendTo(baseUrl, NodeTransport.layerOptions({ proxy: proxy.url, ca }))

  it.live("carries a send over TLS", () =>
    Effect.gen(function* () {
      const proxy = yield* proxyServer(tunnel)
      const { baseUrl } = yield* tlsService(certificate)
      expect(yield* through(proxy, baseUrl)).toEqual(succeeded)
      expect(proxy.asked).toEqual([baseUrl.replace("https://", "")])
    })
  )

  it.live("over TLS is trusted by the same authorities as the service", () =>
    Effect.gen(function* () {
      const { baseUrl: url } = yield* tlsService(certificate)
      expect(yield* through({ url, asked: [] }, "http://127.0.0.1:1")).toEqual(succeeded)
      const other = NodeTransport.layerOptions({ proxy: url })
      expect(sendOutcome(yield* sendTo("http://127.0.0.1:1", other))).toBe("not-sent")
    })
  )

  it.live("carries a send without TLS", () =>
    Effect.gen(function* () {
      const proxy = yield* proxyServer(tunnel)
      const server = yield* responseServer
      server.respondWith(reply(202, contract.sendSms.success))
      expect(yield* through(proxy, server.baseUrl)).toEqual(succeeded)
      expect(proxy.asked).toHaveLength(1)
      expect(server.received).toHaveLength(1)
    })
  )

  it.live("is read from the environment, with its exceptions", () =>
    Effect.gen(function* () {
      const proxy = yield* proxyServer(tunnel)
      const { baseUrl } = yield* tlsService(certificate)
      const transport = (variables: Readonly<Record<string, string>>) =>
        NodeTransport.layerOptions({ proxy: "env", ca }).pipe(
          Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(variables)))
        )
      const used = { HTTPS_PROXY: proxy.url }
      expect(yield* sendTo(baseUrl, transport(used))).toEqual(succeeded)
      expect(proxy.asked).toHaveLength(1)
      for (const unused of [
        { ...used, NO_PROXY: "127.0.0.1" },
        { ...used, no_proxy: "*" },
        { HTTPS_PROXY: "" },
        {}
      ]) {
        expect(yield* sendTo(baseUrl, transport(unused))).toEqual(succeeded)
      }
      expect(proxy.asked).toHaveLength(1)
      const http = { HTTP_PROXY: "http://127.0.0.1:1", http_proxy: proxy.url }
      expect(yield* sendTo(baseUrl, transport(http))).toEqual(succeeded)
      expect(proxy.asked).toHaveLength(2)
    })
  )

  it.live.each(["localhost:3128", "not a url", "socks5://127.0.0.1:1"])(
    "in the environment with an invalid URL fails when the layer is built: %s",
    (value) =>
      Effect.gen(function* () {
        for (const name of ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"]) {
          const error = yield* Layer.build(NodeTransport.layerOptions({ proxy: "env" })).pipe(
            Effect.scoped,
            Effect.provideService(
              ConfigProvider.ConfigProvider,
              ConfigProvider.fromUnknown({ [name]: value })
            ),
            Effect.flip
          )
          expect(error).toBeInstanceOf(ConfigurationError)
          expect(error).toMatchObject({ setting: name })
          expect(error.message).not.toContain(value)
        }
      })
  )

  it.live("gets no more connections than the options allow", () =>
    Effect.gen(function* () {
      const proxy = yield* socketServer
      proxy.onRequest((socket) =>
        setTimeout(() => socket.write(responseText(202, contract.sendSms.success)), 30)
      )
      const transport = NodeTransport.layerOptions({ proxy: proxy.baseUrl, connections: 3 })
      yield* Effect.flatMap(MessagingTopup, (service) =>
        Effect.forEach(
          Array.from({ length: 12 }),
          () => service.sendSms({ recipient, message: text }),
          { concurrency: "unbounded" }
        )
      ).pipe(Effect.provide(client("http://127.0.0.1:1", transport)))
      expect(proxy.received).toHaveLength(12)
      expect(proxy.maxConnections()).toBe(3)
    })
  )

  it.live.each(["http", "https"])(
    "over %s that does not respond fails within connectTimeout",
    (scheme) =>
      Effect.gen(function* () {
        const proxy = yield* socketServer
        proxy.onRequest(() => {})
        const transport = NodeTransport.layerOptions({
          proxy: proxy.baseUrl.replace("http:", `${scheme}:`),
          connectTimeout: "100 millis"
        })
        const error = yield* Effect.flatMap(MessagingTopup, (service) =>
          Effect.flip(service.getSmsStatus("m-1"))
        ).pipe(Effect.provide(client("https://127.0.0.1:1", transport, { timeout: "10 seconds" })))
        expect(error).toMatchObject({ _tag: "ConnectionFailed" })
      })
  )

  it.live("for http passes on a 407 of what is behind it, so the outcome is unknown", () =>
    Effect.gen(function* () {
      const proxy = yield* socketServer
      proxy.onRequest((socket) => socket.write(responseText(407, "accepted, then refused")))
      const exit = yield* through({ url: proxy.baseUrl, asked: [] }, "http://127.0.0.1:1")
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
      const proxy = yield* proxyServer(refuse)
      const { baseUrl } = yield* tlsService(certificate)
      const exit = yield* through(proxy, baseUrl)
      expect(Exit.findErrorOption(exit)).toMatchObject({ value: { _tag: "ConnectionFailed" } })
      expect(sendOutcome(exit)).toBe("not-sent")
    })
  )

  it.live("that does not run sends nothing", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.scoped(proxyServer(tunnel))
      const { baseUrl } = yield* tlsService(certificate)
      expect(sendOutcome(yield* through({ url, asked: [] }, baseUrl))).toBe("not-sent")
    })
  )
})

describe("a service that requires a client certificate, and gets none, sends nothing", () => {
  const certificate = certificateFor("127.0.0.1")

  /** The refusal of TLS 1.3 comes after the handshake, so the request may have started. */
  it.live.each([
    ["TLSv1.2", "ConnectionFailed", "not-sent"],
    ["TLSv1.3", "ConnectionLost", "unknown"]
  ] as const)("and over %s, the failure is %s, %s", ([version, _tag, outcome]) =>
    Effect.gen(function* () {
      const requests: Array<string> = []
      const server = createTlsServer(
        { ...certificate, requestCert: true, minVersion: version, maxVersion: version },
        ({ url = "" }) => requests.push(url)
      )
      yield* Effect.acquireRelease(
        Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
        () => Effect.sync(() => server.close())
      )
      const transport = NodeTransport.layerOptions({ ca: certificate.cert })
      const exit = yield* sendTo(`https://127.0.0.1:${portOf(server)}`, transport)
      expect(Exit.findErrorOption(exit)).toMatchObject({ value: { _tag } })
      expect(sendOutcome(exit)).toBe(outcome)
      expect(requests).toEqual([])
    })
  )
})

describe("a program's own dispatcher", () => {
  it.live("is used for the calls, and is not closed", () =>
    Effect.gen(function* () {
      const server = yield* responseServer
      server.respondWith(reply(202, contract.sendSms.success))
      const dispatcher = new Agent({ connections: 1 })
      let dispatched = 0
      const counting = dispatcher.compose((dispatch) => (options, handler) => {
        dispatched += 1
        return dispatch(options, handler)
      })
      const transport = NodeTransport.layerDispatcher(counting)
      expect(yield* sendTo(server.baseUrl, transport)).toEqual(succeeded)
      expect(yield* sendTo(server.baseUrl, transport)).toEqual(succeeded)
      expect(dispatched).toBe(2)
      expect(dispatcher.closed).toBe(false)
      yield* Effect.promise(() => dispatcher.close())
    })
  )

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
