import { describe, expect, it } from "@effect/vitest"
import type * as core from "@messaging-topup/core"
import {
  type CallOptions,
  ClientClosed,
  ConnectionLost,
  createClient,
  type CreateClientOptions,
  InvalidInput,
  isSendSmsRejection,
  type MessagingTopupClient,
  PaymentRequired,
  type SendOutcome,
  type SendSmsRejection
} from "@messaging-topup/core/promise"
import * as Effect from "effect/Effect"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { getEventListeners } from "node:events"
import { inspect } from "node:util"
import { expectTypeOf } from "vitest"
import {
  beginWith,
  breakOff,
  reply,
  reset,
  type ResponseServer,
  responseServer,
  silence
} from "../harness/ResponseServer.ts"
import { responseText, socketServer } from "../harness/SocketServer.ts"
import { token } from "../harness/Clients.ts"
import { turn } from "../harness/TestTime.ts"
import {
  contract,
  errorBody,
  operationNames,
  type OperationName,
  recipient,
  text
} from "../harness/Contract.ts"

type Call = (client: MessagingTopupClient, options?: CallOptions) => Promise<unknown>

const calls: Readonly<Record<OperationName, Call>> = {
  sendSms: (client, options) => client.sendSms({ recipient, message: text }, options),
  getSmsStatus: (client, options) => client.getSmsStatus("m-1", options),
  getAirtimeStatus: (client, options) => client.getAirtimeStatus("a-1", options),
  getDataBundleStatus: (client, options) => client.getDataBundleStatus("d-1", options),
  listDataBundles: (client, options) => client.listDataBundles(options)
}

const reads = operationNames.filter((name) => name !== "sendSms")

/** Runs a script against a server. */
const script = (
  run: (client: MessagingTopupClient, server: ResponseServer) => Promise<void>,
  options: Partial<CreateClientOptions> = {}
) =>
  responseServer.pipe(
    Effect.flatMap((server) =>
      Effect.promise(() =>
        run(createClient({ baseUrl: server.baseUrl, token, readRetries: 0, ...options }), server)
      )
    ),
    Effect.scoped
  )

const rejectionOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => Promise.reject(new Error(`resolved with ${inspect(value)}`)),
    (error: unknown) => error
  )

/** Only a rejection of a send says whether the SMS went out. */
const expectOutcome = (error: unknown, name: OperationName, outcome: SendOutcome) => {
  expect(isSendSmsRejection(error)).toBe(name === "sendSms")
  if (name === "sendSms") expect(error).toHaveProperty("sendOutcome", outcome)
  else expect(error).not.toHaveProperty("sendOutcome")
}

/** Calls without type checks, as in a script without types. */
const untyped = (
  call: (...values: ReadonlyArray<never>) => unknown,
  ...values: ReadonlyArray<unknown>
): Promise<unknown> => Reflect.apply(call, undefined, values)

describe("a call", () => {
  it.live.each(operationNames)("%s resolves with the response of the service", (name) =>
    script(async (client, server) => {
      const { method, path, success, successStatus } = contract[name]
      server.respondWith(reply(successStatus, success))
      expect(await calls[name](client)).toEqual(success)
      expect(server.received).toMatchObject([
        { method, url: path, headers: { authorization: `Bearer ${token}` } }
      ])
    })
  )

  it("has the types of the operation in core", () => {
    expectTypeOf<
      MessagingTopupClient["sendSms"]
    >().returns.resolves.toEqualTypeOf<core.SendSmsResponse>()
    expectTypeOf<
      MessagingTopupClient["getSmsStatus"]
    >().returns.resolves.toEqualTypeOf<core.GetSmsStatusResponse>()
  })

  it.live("has the default of each option that is undefined, and leaves out such a field", () =>
    script(
      async (client, server) => {
        server.respondWith(reply(202, contract.sendSms.success))
        const webhook_url = "https://hooks.example.com/sms"
        const undefinedFields = { sender_id: undefined, scheduled_time: undefined }
        await client.sendSms({ recipient, message: text, webhook_url, ...undefinedFields })
        const sent = { recipient, message: text, webhook_url }
        expect(JSON.parse(server.received[0]?.body ?? "")).toEqual(sent)
      },
      { timeout: undefined, readRetries: undefined, maxBodyBytes: undefined, fetch: undefined }
    )
  )

  it.live("passes on the caller's query parameters beside a signal", () =>
    script(async (client, server) => {
      server.respondWith(reply(200, contract.listDataBundles.success))
      const { signal } = new AbortController()
      await client.listDataBundles({ query: { network: "any", tag: ["a", "b"] }, signal })
      expect(server.received[0]?.url).toBe("/v1/list-bundles?network=any&tag=a&tag=b")
    })
  )

  const sms = { recipient, message: text }
  const unreadable = Object.defineProperty({}, "signal", {
    enumerable: true,
    get: () => {
      throw new Error("unreadable")
    }
  })
  const half = { aborted: false, addEventListener: () => {} }
  const thrown = () => {
    throw new Error("of a library")
  }
  const throwing = { ...half, addEventListener: thrown, removeEventListener: thrown }
  const unknown = Object.defineProperty({ ...throwing }, "aborted", { get: thrown })

  /** What the service itself refuses is in Requests.test.ts. */
  const invalid: ReadonlyArray<readonly [OperationName, string, ReadonlyArray<unknown>]> = [
    ["sendSms", "senderId", [{ ...sms, senderId: "ACME" }]],
    ["sendSms", "request", []],
    ["getSmsStatus", "message_id", []],
    ["listDataBundles", "network", [{ query: { network: 7 } }]],
    ["sendSms", "query", [sms, { query: {} }]],
    ...operationNames.flatMap((name) => {
      const values = name === "listDataBundles" ? [] : [name === "sendSms" ? sms : "m-1"]
      return [
        [name, "signl", [...values, { signl: AbortSignal.timeout(1) }]],
        [name, "timeout", [...values, { timeout: 1 }]],
        [name, "options", [...values, 5]],
        [name, "options", [...values, { [recipient]: 5 }]],
        [name, "options", [...values, unreadable]],
        [name, "signal", [...values, { signal: new AbortController() }]],
        [name, "signal", [...values, { signal: half }]],
        [name, "signal", [...values, { signal: throwing }]],
        [name, "signal", [...values, { signal: unknown }]]
      ] as const
    })
  ]

  it.live.each(invalid)(
    "%s rejects what is wrong with %s, and sends nothing",
    ([name, field, values]) =>
      script(async (client, server) => {
        const error = await rejectionOf(untyped(client[name], ...values))
        expect(error).toBeInstanceOf(InvalidInput)
        expect(error).toMatchObject({ operation: name, field })
        expectOutcome(error, name, "not-sent")
        expect(inspect(error)).not.toContain(recipient)
        expect(server.received).toEqual([])
      })
  )

  it.live.each([
    [
      { to: recipient },
      "to: not a documented field; these are recipient, message, sender_id, webhook_url, scheduled_time. Nothing was sent"
    ],
    [{ message: text }, "recipient is missing. Nothing was sent"]
  ])("says what to correct, and no more: %o", ([request, message]) =>
    script(async (client) => {
      expect(await rejectionOf(untyped(client.sendSms, request))).toHaveProperty("message", message)
    })
  )

  it.live.each([undefined, null, {}, { signal: undefined }, { signal: null }])(
    "accepts %o in place of options",
    (options) =>
      script(async (client, server) => {
        server.respondWith(reply(202, contract.sendSms.success))
        await untyped(client.sendSms, { recipient, message: text }, options)
        server.respondWith(reply(200, contract.listDataBundles.success))
        await untyped(client.listDataBundles, options)
      })
  )
})

describe("a rejection", () => {
  // NodeProcess.full.test.ts: both clients have the same classes.
  // Failures.test.ts has those of sends.
  it.live("of a read has no outcome", () =>
    script(async (client, server) => {
      server.respondWith(breakOff(200))
      for (const name of reads) {
        const error = await rejectionOf(calls[name](client))
        expect(error).toBeInstanceOf(ConnectionLost)
        expectOutcome(error, name, "unknown")
      }
    })
  )

  it.live("has the service's own words", () =>
    script(async (client, server) => {
      server.respondWith(reply(402, errorBody(402)))
      const error = await rejectionOf(calls.sendSms(client))
      expect(error).toBeInstanceOf(PaymentRequired)
      expect(error).toMatchObject({ status: 402, error: errorBody(402).error })
    })
  )

  it.each([undefined, null, "AbortError", new Error("other"), new DOMException("", "AbortError")])(
    "of sendSms is not %o",
    (value) => {
      expect(isSendSmsRejection(value)).toBe(false)
    }
  )

  it("of sendSms has the type of its errors", () => {
    const error: unknown = undefined
    if (isSendSmsRejection(error)) expectTypeOf(error).toEqualTypeOf<SendSmsRejection>()
    expectTypeOf<SendSmsRejection["sendOutcome"]>().toEqualTypeOf<SendOutcome>()
    expectTypeOf<SendSmsRejection["_tag"]>().toEqualTypeOf<
      core.SendSmsError["_tag"] | "Aborted" | "ClientClosed"
    >()
  })
})

/** Waits until Node's `fetch` reports this event for any request. */
const fetchReports = (event: "headers" | "trailers"): Promise<void> =>
  new Promise((resolve) => {
    const channel = `undici:request:${event}`
    const listener = () => {
      unsubscribe(channel, listener)
      setImmediate(resolve)
    }
    subscribe(channel, listener)
  })

describe("a signal", () => {
  const abortError = { _tag: "Aborted", name: "AbortError" }

  // Over fetch, whose requests start with the call.
  it.live.each(operationNames)("that is aborted before %s prevents the request", (name) =>
    script(
      async (client, server) => {
        server.respondWith(reply(contract[name].successStatus, contract[name].success))
        const error = await rejectionOf(calls[name](client, { signal: AbortSignal.abort("why") }))
        expect(error).toMatchObject({ ...abortError, operation: name, started: false })
        expectOutcome(error, name, "not-sent")
        expect(server.received).toEqual([])
      },
      { fetch }
    )
  )

  const moments: ReadonlyArray<readonly [when: string, begins: boolean]> = [
    ["before the response", false],
    ["during the body", true]
  ]

  it.live.each(
    operationNames.flatMap((name) => moments.map((moment) => [name, ...moment] as const))
  )("aborts %s %s, and the server notices", ([name, , begins]) =>
    script(async (client, server) => {
      const { successStatus: status } = contract[name]
      const controller = new AbortController()
      server.respondWith(begins ? beginWith(status) : () => controller.abort())
      const disconnected = server.nextDisconnect()
      const begun = begins ? fetchReports("headers") : undefined
      const rejection = rejectionOf(calls[name](client, { signal: controller.signal }))
      await begun
      if (begins) controller.abort()
      await disconnected
      const error = await rejection
      const response = begins ? { status } : {}
      expect(error).toMatchObject({ ...abortError, operation: name, started: true, ...response })
      expectOutcome(error, name, begins ? "sent" : "unknown")
      expect(server.received).toHaveLength(1)
    })
  )

  it.live("ends the wait before a retry", () =>
    script(async (_, server) => {
      const client = createClient({ baseUrl: server.baseUrl, token })
      const controller = new AbortController()
      server.respondWith(reply(503, "", { "retry-after": "60" }))
      const responded = fetchReports("trailers")
      const rejection = rejectionOf(calls.getSmsStatus(client, { signal: controller.signal }))
      await responded
      controller.abort()
      expect(await rejection).toMatchObject({ _tag: "Aborted" })
      expect(server.received).toHaveLength(1)
    })
  )

  it.live("has no listener left after the call", () =>
    script(async (client, server) => {
      const { signal } = new AbortController()
      server.respondWith(reply(202, contract.sendSms.success))
      await calls.sendSms(client, { signal })
      server.respondWith(reply(400, errorBody(400)))
      await rejectionOf(calls.sendSms(client, { signal }))
      expect(getEventListeners(signal, "abort")).toEqual([])
    })
  )

  it.live("that ends the wait for a connection reports that nothing was sent", () =>
    script(
      async (client, server) => {
        const taken = new Promise<void>((resolve) => server.respondWith(() => resolve()))
        const controller = new AbortController()
        const held = rejectionOf(calls.sendSms(client, { signal: controller.signal }))
        await taken
        const queued = calls.sendSms(client, { signal: AbortSignal.timeout(20) })
        expect(await rejectionOf(queued)).toMatchObject({ started: false, sendOutcome: "not-sent" })
        controller.abort()
        expect(await held).toMatchObject({ started: true, sendOutcome: "unknown" })
        await client.close()
        expect(server.received).toHaveLength(1)
        expect(server.received[0]?.headers["user-agent"]).toMatch(/^messaging-topup\/\S+ orders/)
      },
      { connections: 1, userAgent: "orders/2.1" }
    )
  )
})

describe("debug gets a line for each call that ended", () => {
  it.live("with its outcome, and no number, id or text", () => {
    const lines: Array<string> = []
    return script(
      async (client, server) => {
        server.respondWith(reply(202, contract.sendSms.success))
        await calls.sendSms(client)
        server.respondWith(reply(402, errorBody(402)))
        await rejectionOf(calls.sendSms(client))
        server.respondWith(reply(503, text))
        await rejectionOf(client.getSmsStatus("m-1"))
        await rejectionOf(calls.sendSms(client, { signal: AbortSignal.abort() }))
        expect(lines.map((line) => line.replace(/\d+ ms$/, "N ms"))).toEqual([
          "sendSms: sent, HTTP 202, 1 request, N ms",
          "sendSms: not-sent, PaymentRequired, HTTP 402, 1 request, N ms",
          "getSmsStatus: UndocumentedStatus, HTTP 503, 2 requests, N ms",
          "sendSms: not-sent, Aborted, 0 requests, N ms"
        ])
      },
      { readRetries: 1, debug: (line) => lines.push(line) }
    )
  })

  it.live.each<readonly [ends: string, debug: () => unknown]>([
    [
      "throw",
      () => {
        throw new Error("of the program")
      }
    ],
    ["reject", () => Promise.reject(new Error("of the program"))]
  ])("and a call whose line makes it %s ends as without it", ([, debug]) =>
    script(
      async (client, server) => {
        server.respondWith(reply(202, contract.sendSms.success))
        await expect(calls.sendSms(client)).resolves.toEqual(contract.sendSms.success)
      },
      { debug }
    )
  )
})

describe("the stack of a rejection", () => {
  it.live("names the caller", () =>
    script(async (client, server) => {
      server.respondWith(reply(400, errorBody(400)))
      const aCallerOfTheProgram = async () => {
        await calls.sendSms(client)
      }
      const error = await rejectionOf(aCallerOfTheProgram())
      expect(error instanceof Error && error.stack).toMatch(
        /^InvalidRequest: .*\n[^]*aCallerOfTheProgram .*PromiseClient\.test/
      )
    })
  )
})

describe("closing a client", () => {
  it.live("closes its connections", () =>
    Effect.gen(function* () {
      const server = yield* socketServer
      server.onRequest((socket) => socket.write(responseText(202, contract.sendSms.success)))
      const client = createClient({ baseUrl: server.baseUrl, token })
      yield* Effect.promise(() => calls.sendSms(client))
      expect(server.connections()).toBe(1)
      yield* Effect.promise(() => client.close())
      // Otherwise, an idle connection stays open for seconds.
      const closed = performance.now()
      while (server.connections() > 0) yield* turn
      expect(performance.now() - closed).toBeLessThan(1_000)
    })
  )

  it.live("waits for the calls in flight, whether they succeed or fail, and rejects new ones", () =>
    script(async (client, server) => {
      const order: Array<string> = []
      const responses: Array<() => void> = []
      const bothSent = new Promise<void>((resolve) => {
        server.respondWith((request, response) => {
          const respond =
            request.method === "POST" ? reply(202, contract.sendSms.success) : reply(418, "")
          responses.push(() => respond(request, response))
          if (responses.length === 2) resolve()
        })
      })
      const settled = [
        calls.sendSms(client).then(() => order.push("sent")),
        rejectionOf(calls.getSmsStatus(client)).then(() => order.push("rejected"))
      ]
      await bothSent
      const closed = client[Symbol.asyncDispose]().then(() => order.push("closed"))
      expect(await rejectionOf(calls.sendSms(client))).toMatchObject({ _tag: "ClientClosed" })
      for (const respond of responses) respond()
      await Promise.all([...settled, closed])
      expect(order.toSorted()).toEqual(["closed", "rejected", "sent"])
      expect(order.at(-1)).toBe("closed")
      await client.close()
      expect(server.received).toHaveLength(2)
    })
  )

  it.live.each(operationNames)("rejects a later %s, which is not sent", (name) =>
    script(async (client, server) => {
      server.respondWith(reply(contract[name].successStatus, contract[name].success))
      await client[Symbol.asyncDispose]()
      const error = await rejectionOf(calls[name](client))
      expect(error).toBeInstanceOf(ClientClosed)
      expect(error).toMatchObject({ _tag: "ClientClosed", operation: name })
      expectOutcome(error, name, "not-sent")
      expect(server.received).toEqual([])
    })
  )
})

describe("a caller that handles its rejections", () => {
  it.live("has no unhandled rejections", () =>
    script(
      async (client, server) => {
        const unhandled: Array<unknown> = []
        const listener = (error: unknown) => void unhandled.push(error)
        process.on("unhandledRejection", listener)
        for (const respond of [reply(400, errorBody(400)), reply(202, "<html>"), reset, silence]) {
          server.respondWith(respond)
          await rejectionOf(calls.sendSms(client))
        }
        server.respondWith(silence)
        await rejectionOf(calls.sendSms(client, { signal: AbortSignal.timeout(20) }))
        const lost = rejectionOf(calls.sendSms(client))
        await client[Symbol.asyncDispose]()
        await lost
        await rejectionOf(calls.sendSms(client))
        // Node reports unhandled rejections after the microtasks of a turn.
        await Effect.runPromise(turn)
        process.off("unhandledRejection", listener)
        expect(unhandled).toEqual([])
      },
      { timeout: 100 }
    )
  )
})
