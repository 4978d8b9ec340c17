import { describe, expect, it } from "@effect/vitest"
import { it as property } from "vitest"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { reply } from "../harness/ResponseServer.ts"
import { token, transports } from "../harness/Clients.ts"
import { contract, errorBody, operationNames, recipient, text } from "../harness/Contract.ts"
import { requirement } from "../harness/requirements.ts"
import { anyText } from "../harness/AnyText.ts"
import { runs } from "../harness/Runs.ts"
import { serving } from "../harness/Serving.ts"

const requestTitles = {
  sendSms: requirement("4.1-request"),
  getSmsStatus: requirement("4.2-request"),
  getAirtimeStatus: requirement("4.3-request"),
  getDataBundleStatus: requirement("4.4-request"),
  listDataBundles: requirement("4.5-request")
}

describe.for(transports)("over %s", ([, transport]) => {
  it.live.each(operationNames.map((name) => [requestTitles[name], name] as const))(
    `%s, ${requirement("5-bearer")}, ${requirement("9-prefix")}`,
    ([, name]) =>
      serving({ transport }, function* (service, server) {
        const { call, method, path, success, successStatus } = contract[name]
        server.respondWith(reply(successStatus, success))
        yield* call(service)
        const [request] = server.received
        expect(request).toMatchObject({ method, url: path })
        expect(request?.url.startsWith("/v1/")).toBe(!/Sms/.test(name))
        expect(request?.headers.authorization).toBe(`Bearer ${token}`)
        if (method === "GET") expect(request?.body).toBe("")
      })
  )

  it.live(requirement("1-json"), () =>
    serving({ transport }, function* (service, server) {
      server.respondWith(reply(202, contract.sendSms.success))
      const request = { recipient, message: 'Grüße, "你好" 👋 \n' }
      yield* service.sendSms(request)
      const [{ body, headers } = { body: "", headers: {} }] = server.received
      expect(headers).toMatchObject({
        "content-type": "application/json",
        accept: "application/json"
      })
      expect(JSON.parse(body)).toEqual(request)
    })
  )
})

describe("sendSms", () => {
  const optional = {
    sender_id: "ACME",
    webhook_url: "https://hooks.example.com/sms?a=1",
    scheduled_time: "2026-12-24T18:00"
  }

  it.live(`${requirement("2.1-fields")}, ${requirement("6-webhook")}`, () =>
    serving({}, function* (service, server) {
      for (const extra of [{}, optional, { sender_id: "" }]) {
        server.respondWith(reply(202, contract.sendSms.success))
        yield* service.sendSms({ recipient, message: text, ...extra })
        expect(JSON.parse(server.received[0]?.body ?? "")).toEqual({
          recipient,
          message: text,
          ...extra
        })
      }
    })
  )

  const thrower = {
    recipient,
    get message(): string {
      throw new Error(`no text for ${recipient}`)
    }
  }
  const { proxy: revoked, revoke } = Proxy.revocable({ recipient, message: text }, {})
  revoke()

  const bad: ReadonlyArray<readonly [field: string, request: unknown]> = [
    ["recipient", { message: text }],
    ["recipient", { recipient: 15550100123, message: text }],
    ["recipient", { recipient: null, message: text }],
    ["recipient", { recipient: [recipient], message: text }],
    ["message", { recipient }],
    ["message", { recipient, message: `${text} \ud800` }],
    ["sender_id", { recipient, message: text, sender_id: 7 }],
    ["webhook_url", { recipient, message: text, webhook_url: null }],
    ["scheduled_time", { recipient, message: text, scheduled_time: new Date(0) }],
    ["senderId", { recipient, message: text, senderId: "ACME" }],
    // An unknown key could be personal, and reading can throw.
    ["(a key that is not shown)", { recipient, message: text, [recipient]: "" }],
    ["request", thrower],
    ["request", revoked],
    ["request", undefined],
    ["request", null],
    ["request", "text"],
    ["request", [recipient, text]]
  ]

  it.live.each(bad)(
    "names %s and no value if the request is invalid, and sends nothing",
    ([field, request]) =>
      serving({}, function* (service, server) {
        server.respondWith(reply(202, contract.sendSms.success))
        // What a script without types can pass.
        const send: (request: never) => ReturnType<typeof service.sendSms> = service.sendSms
        const error = yield* Effect.flip(send(request as never))
        expect(error).toMatchObject({ _tag: "InvalidInput", field })
        expect(error.message).not.toContain(recipient)
        expect(server.received).toEqual([])
      })
  )

  it.live("sends fields that are getters of a class or not enumerable", () =>
    serving({}, function* (service, server) {
      class Reminder {
        readonly recipient = recipient
        readonly message = text
        get scheduled_time() {
          return "tomorrow"
        }
      }
      const request = Object.defineProperty(new Reminder(), "sender_id", { value: "ACME" })
      server.respondWith(reply(202, contract.sendSms.success))
      yield* service.sendSms(request)
      expect(JSON.parse(server.received[0]?.body ?? "")).toEqual({
        recipient,
        message: text,
        sender_id: "ACME",
        scheduled_time: "tomorrow"
      })
    })
  )
})

describe("listDataBundles", () => {
  it.live(requirement("4.5-query"), () =>
    serving({}, function* (service, server) {
      const query = { network: "a b+c&d=é", id: ["1", "2"], "od d": "", none: [] }
      server.respondWith(reply(200, contract.listDataBundles.success))
      yield* service.listDataBundles({ query })
      const url = new URL(server.received[0]?.url ?? "", server.baseUrl)
      expect(url.pathname).toBe("/v1/list-bundles")
      expect([...url.searchParams]).toEqual([
        ["network", "a b+c&d=é"],
        ["id", "1"],
        ["id", "2"],
        ["od d", ""]
      ])
      yield* service.listDataBundles({})
      yield* service.listDataBundles({ query: {} })
      expect(server.received.slice(1).map((request) => request.url)).toEqual([
        "/v1/list-bundles",
        "/v1/list-bundles"
      ])
    })
  )

  it.live("refuses parameters that a query cannot contain, and sends nothing", () =>
    serving({}, function* (service, server) {
      const list: (options: never) => ReturnType<typeof service.listDataBundles> =
        service.listDataBundles
      server.respondWith(reply(200, contract.listDataBundles.success))
      for (const query of [
        new URLSearchParams({ network: "a" }),
        new Map([["network", "a"]]),
        { network: 7 },
        { network: [null] },
        "network=mtn",
        { network: "\ud800" }
      ]) {
        const error = yield* Effect.flip(list({ query } as never))
        expect(error).toMatchObject({
          _tag: "InvalidInput",
          field: expect.stringMatching(/^(query|network(\.0)?)$/)
        })
      }
      expect(server.received).toEqual([])
    })
  )
})

type Read<Value> = (value: Value) => Effect.Effect<unknown, { readonly _tag: string }>

describe("path values", () => {
  const reads = [
    ["getSmsStatus", "/sms/", "message_id"],
    ["getAirtimeStatus", "/v1/airtime/", "referencecode"],
    ["getDataBundleStatus", "/v1/databundle/", "referencecode"]
  ] as const

  // Over fetch, a platform could resolve dots in a path.
  describe.for(transports)("over %s", ([, transport]) => {
    it.live.each(reads)(
      "of %s may not be empty, dots, half a character or no text",
      ([name, , field]) =>
        serving({ transport }, function* (service, server) {
          server.respondWith(reply(400, errorBody(400)))
          const read: Read<never> = service[name]
          for (const value of ["", ".", "..", "\ud800", "a\udfffb", undefined, null, 7, ["m-1"]]) {
            const error = yield* Effect.flip(read(value as never))
            expect(error).toMatchObject({ _tag: "InvalidInput", field })
          }
          const percent: Read<string> = service[name]
          yield* Effect.flip(percent("%2e%2e"))
          expect(server.received.map(({ url }) => url.split("/").at(-1))).toEqual(["%252e%252e"])
        })
    )
  })

  const odd = [
    "a/b",
    "a?b#c",
    "..%2f",
    "...",
    " ",
    "a\\b",
    "ключ-鍵-🔑",
    "\u0000",
    "x".repeat(4096)
  ]
  const value = fc.oneof(anyText({ maxLength: 40 }), fc.constantFrom(...odd))

  property("of any text are InvalidInput or arrive unchanged, in one request", () =>
    Effect.runPromise(
      serving({}, function* (service, server) {
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(fc.constantFrom(...reads), value, async ([name, prefix], given) => {
              server.respondWith(reply(400, errorBody(400)))
              const read: Read<string> = service[name]
              const error = await Effect.runPromise(Effect.flip(read(given)))
              if (error._tag === "InvalidInput") {
                expect(["", ".", ".."].includes(given) || !given.isWellFormed()).toBe(true)
                expect(server.received).toEqual([])
              } else {
                expect(error._tag).toBe("InvalidRequest")
                expect(server.received.map(({ url }) => url)).toEqual([
                  `${prefix}${encodeURIComponent(given)}`
                ])
              }
            }),
            { numRuns: runs(3_000) }
          )
        )
      })
    )
  )
})
