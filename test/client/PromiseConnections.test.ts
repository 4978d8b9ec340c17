import { describe, expect, it } from "@effect/vitest"
import {
  ConfigurationError,
  createClient,
  type CreateClientOptions
} from "@messaging-topup/core/promise"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Agent } from "undici"
import { Agent as Agent6 } from "undici-6"
import { createClient as createFetchClient } from "../../packages/core/src/promise/Fetch.ts"
import { certificateFor } from "../harness/Certificate.ts"
import { token } from "../harness/Clients.ts"
import { contract, recipient, text } from "../harness/Contract.ts"
import { reply, responseServer, urlWithoutServer } from "../harness/ResponseServer.ts"
import { tlsServer } from "../harness/TlsServer.ts"

const request = { recipient, message: text }

const { success } = contract.sendSms

type Options = Omit<CreateClientOptions, "token">

/** Sends with a client of its own, which is then closed. */
const sendWith = async (options: Options) => {
  await using client = createClient({ token, ...options })
  return await client.sendSms(request)
}

const send = (options: Options) => Effect.promise(() => sendWith(options))

/** A dispatcher of the program, which the program closes. */
const agent = (options: Agent.Options) =>
  Effect.acquireRelease(
    Effect.sync(() => new Agent(options)),
    (opened) => Effect.promise(() => opened.destroy())
  )

describe("the dispatcher of createClient", () => {
  it.live("makes the requests, with the User-Agent, and stays open", () =>
    Effect.gen(function* () {
      const server = yield* responseServer
      server.respondWith(reply(202, success))
      const dispatcher = yield* agent({ connections: 1 })
      const asked: Array<string> = []
      const counting = dispatcher.compose((dispatch) => (options, handler) => {
        asked.push(`${String(options.origin)}${options.path}`)
        return dispatch(options, handler)
      })
      const { baseUrl } = server
      for (let sent = 0; sent < 2; sent++) {
        const userAgent = "orders/2.1"
        expect(yield* send({ baseUrl, dispatcher: counting, userAgent })).toEqual(success)
      }
      expect(asked).toEqual([`${baseUrl}/sms/send`, `${baseUrl}/sms/send`])
      expect(server.received[0]?.headers["user-agent"]).toMatch(/^messaging-topup\/\S+ orders/)
      expect([dispatcher.closed, dispatcher.destroyed]).toEqual([false, false])
    })
  )

  it.live("has its own authorities, and HTTP/1.1 only: undici resends a POST on HTTP/2", () =>
    Effect.gen(function* () {
      const certificate = certificateFor("127.0.0.1")
      const { baseUrl, received } = yield* tlsServer(certificate, ({ response }) =>
        response(202, success)
      )
      const dispatcher = yield* agent({ connect: { ca: certificate.cert } })
      expect(yield* send({ baseUrl, dispatcher })).toEqual(success)
      expect(received).toEqual(["http/1.1"])
    })
  )
})

describe("the fetch of createClient", () => {
  it.live("makes the requests", () =>
    Effect.gen(function* () {
      const server = yield* responseServer
      server.respondWith(reply(202, success))
      const asked: Array<unknown> = []
      const own: typeof fetch = (input, init) => {
        asked.push(input)
        return fetch(input, init)
      }
      expect(yield* send({ baseUrl: server.baseUrl, fetch: own })).toEqual(success)
      expect(asked).toEqual([`${server.baseUrl}/sms/send`])
    })
  )

  it.live("is never trusted to have sent nothing, even if it is the platform's", () =>
    Effect.gen(function* () {
      const baseUrl = urlWithoutServer
      const lost = { _tag: "ConnectionLost", code: "ECONNREFUSED", sendOutcome: "unknown" }
      yield* Effect.promise(() => expect(sendWith({ baseUrl, fetch })).rejects.toMatchObject(lost))
    })
  )
})

describe("an option is refused by its name:", () => {
  const dispatcher = new Agent()

  it.effect.each<readonly [setting: string, options: object, problem: RegExp]>([
    ["connections", { connections: 0 }, /at least 1/],
    ["connections", { connections: 1.5 }, /whole number/],
    ["connections", { connections: "many" }, /whole number/],
    ["userAgent", { userAgent: "one\r\nx: y" }, /ASCII/],
    ["userAgent", { userAgent: "" }, /ASCII/],
    ["proxy", { proxy: "http://127.0.0.1:1" }, /no such option; the options are /],
    ["connectTimeout", { connectTimeout: 1_000 }, /no such option/]
  ])("%s of %o, by both clients", ([setting, options, problem]) =>
    Effect.gen(function* () {
      const refused = { setting, problem: expect.stringMatching(problem) }
      const layer = Layer.build(NodeTransport.layerOptions(options))
      const error = yield* Effect.flip(Effect.scoped(layer))
      expect(error).toBeInstanceOf(ConfigurationError)
      expect(error).toMatchObject(refused)
      const create = () => createClient({ baseUrl: "https://service.test", token, ...options })
      expect(create).toThrow(ConfigurationError)
      expect(create).toThrow(expect.objectContaining(refused))
    })
  )

  it.effect("what is no option at all is not shown", () =>
    Effect.gen(function* () {
      const options: object = { [recipient]: "env" }
      const layer = Layer.build(NodeTransport.layerOptions(options))
      expect(yield* Effect.flip(Effect.scoped(layer))).toMatchObject({ setting: "options" })
    })
  )

  it.each<[setting: string, options: object]>([
    ["dispatcher", { dispatcher: {} }],
    ["transport", { dispatcher: new Agent6() }],
    ["fetch", { fetch: "node-fetch" }],
    ["connections", { dispatcher, connections: 3 }],
    ["connections", { fetch, connections: 3 }],
    ["userAgent", { fetch, userAgent: "orders/2.1" }],
    ["dispatcher", { fetch, dispatcher }]
  ])("%s of createClient: %o", (setting, options) => {
    const create = () => createClient({ baseUrl: "https://service.test", token, ...options })
    expect(create).toThrow(expect.objectContaining({ setting }))
  })

  it.each([{ connections: 3 }, { userAgent: "orders/2.1" }, { dispatcher }])(
    "%o where there is only fetch",
    (options) => {
      const [setting] = Object.keys(options)
      const create = () => createFetchClient({ baseUrl: "https://service.test", token, ...options })
      expect(create).toThrow(expect.objectContaining({ setting }))
    }
  )
})
