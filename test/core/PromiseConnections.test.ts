import { describe, expect, it } from "@effect/vitest"
import { ConfigurationError } from "@messaging-topup/core"
import {
  createClient,
  type CreateClientOptions,
  type TransportOptions
} from "@messaging-topup/core/promise"
import * as Effect from "effect/Effect"
import { certificateFor } from "../support/Certificate.ts"
import { token } from "../support/Clients.ts"
import { contract, recipient, text } from "../support/Contract.ts"
import { reply, responseServer, urlWithoutServer } from "../support/ResponseServer.ts"
import { silentHost } from "../support/SilentHost.ts"
import { responseText, socketServer } from "../support/SocketServer.ts"
import { tlsServer } from "../support/TlsServer.ts"

const request = { recipient, message: text }

const send = (options: Pick<CreateClientOptions, "baseUrl" | "fetch" | "transport">) =>
  Effect.promise(() => createClient({ token, ...options }).sendSms(request))

const rejectionOfSend = (options: Parameters<typeof send>[0]) =>
  Effect.promise(() =>
    createClient({ token, ...options })
      .sendSms(request)
      .then(
        () => Promise.reject(new Error("it resolved")),
        (error: unknown) => error
      )
  )

describe("the transport of createClient", () => {
  it.live("uses no more connections than the options allow, and the User-Agent", () =>
    Effect.gen(function* () {
      const server = yield* socketServer
      server.onRequest((socket) => socket.write(responseText(202, contract.sendSms.success)))
      const transport = { connections: 2, userAgent: "orders/2.1" }
      const client = createClient({ baseUrl: server.baseUrl, token, transport })
      const sends = Array.from({ length: 10 }, () => client.sendSms(request))
      yield* Effect.promise(() => Promise.all(sends))
      expect(server.maxConnections()).toBe(2)
      expect(server.received[0]).toMatch(/user-agent: messaging-topup\/\S+ orders\/2.1\r\n/i)
    })
  )

  it.live("fails if no connection is made within connectTimeoutMillis", () =>
    Effect.gen(function* () {
      const { port } = yield* silentHost
      const transport = { connectTimeoutMillis: 100 }
      const error = yield* rejectionOfSend({ baseUrl: `http://127.0.0.1:${port}`, transport })
      expect(error).toMatchObject({ code: "UND_ERR_CONNECT_TIMEOUT", sendOutcome: "not-sent" })
    })
  )

  it.live("trusts the given authorities", () =>
    Effect.gen(function* () {
      const certificate = certificateFor("127.0.0.1")
      const { baseUrl } = yield* tlsServer(certificate, ({ response }) =>
        response(202, contract.sendSms.success)
      )
      const transport = { ca: certificate.cert }
      expect(yield* send({ baseUrl, transport })).toEqual(contract.sendSms.success)
      expect(yield* rejectionOfSend({ baseUrl })).toMatchObject({ sendOutcome: "not-sent" })
    })
  )

  it.live("sends through a proxy", () =>
    Effect.gen(function* () {
      const proxy = yield* socketServer
      proxy.onRequest((socket) => socket.write(responseText(202, contract.sendSms.success)))
      yield* send({ baseUrl: "http://127.0.0.1:1", transport: { proxy: proxy.baseUrl } })
      expect(proxy.received).toHaveLength(1)
      expect(proxy.received[0]).toMatch(/^POST http:\/\/127.0.0.1:1\/sms\/send /)
    })
  )

  it.each<[setting: string, transport: object]>([
    ["transport.connections", { connections: 0 }],
    ["transport.connectTimeoutMillis", { connectTimeoutMillis: -1 }],
    ["transport.connectTimeout", { connectTimeout: "1 second" }],
    ["transport.proxy", { proxy: "proxy.example.com:3128" }],
    ["transport.agent", { agent: {} }]
  ])("is refused with an invalid option, which the error names: %s", (setting, transport) => {
    const options = { baseUrl: "https://service.test", token, transport }
    expect(() => createClient(options)).toThrow(ConfigurationError)
    expect(() => createClient(options)).toThrow(expect.objectContaining({ setting }))
  })
})

describe("the fetch of createClient", () => {
  it.live("makes the requests", () =>
    Effect.gen(function* () {
      const server = yield* responseServer
      server.respondWith(reply(202, contract.sendSms.success))
      const asked: Array<unknown> = []
      const own: typeof fetch = (input, init) => {
        asked.push(input)
        return fetch(input, init)
      }
      const sent = yield* send({ baseUrl: server.baseUrl, fetch: own })
      expect(sent).toEqual(contract.sendSms.success)
      expect(asked).toEqual([`${server.baseUrl}/sms/send`])
    })
  )

  it.live("is never trusted to have sent nothing, even if it is the platform's", () =>
    Effect.gen(function* () {
      const baseUrl = yield* urlWithoutServer
      expect(yield* rejectionOfSend({ baseUrl, fetch })).toMatchObject({
        _tag: "ConnectionLost",
        code: "ECONNREFUSED",
        sendOutcome: "unknown"
      })
    })
  )

  const connections: TransportOptions = { connections: 3 }

  it.each<[setting: string, options: object]>([
    ["fetch", { fetch: "node-fetch" }],
    ["transport", { fetch, transport: connections }]
  ])("is refused if it is no function, or beside a transport: %s", (setting, options) => {
    const create = () => createClient({ baseUrl: "https://service.test", token, ...options })
    expect(create).toThrow(expect.objectContaining({ setting }))
  })
})
