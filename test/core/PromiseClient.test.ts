import { describe, expect, it } from "@effect/vitest"
import * as core from "@messaging-topup/core"
import * as promiseEntry from "@messaging-topup/core/promise"
import {
  type CallOptions,
  ClientClosed,
  ConnectionFailed,
  ConnectionLost,
  createClient,
  type CreateClientOptions,
  documentedErrors,
  InternalServerError,
  InvalidInput,
  InvalidResponse,
  isSendSmsRejection,
  type MessagingTopupClient,
  PaymentRequired,
  RequestTimedOut,
  type SendOutcome,
  type SendSmsRejection,
  UndocumentedStatus
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
  type Respond,
  type ResponseServer,
  responseServer,
  silence,
  urlWithoutServer
} from "../support/ResponseServer.ts"
import { responseText, socketServer } from "../support/SocketServer.ts"
import { token } from "../support/Clients.ts"
import {
  contract,
  errorBody,
  errorTags,
  operationNames,
  type OperationName,
  recipient,
  text
} from "../support/Contract.ts"

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

  const invalid: ReadonlyArray<readonly [OperationName, string, ReadonlyArray<unknown>]> = [
    ["sendSms", "senderId", [{ ...sms, senderId: "ACME" }]],
    ["sendSms", "to", [{ to: recipient, body: text }]],
    ["sendSms", "message", [{ recipient }]],
    ["sendSms", "recipient", [{ recipient: 15550100123, message: text }]],
    ["sendSms", "request", []],
    ["sendSms", "request", [null]],
    ["getSmsStatus", "message_id", []],
    ["getSmsStatus", "message_id", [""]],
    ["getAirtimeStatus", "referencecode", [4711]],
    ["getDataBundleStatus", "referencecode", [{ referencecode: "d-1" }]],
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
        [name, "signal", [...values, { signal: half }]]
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

  it.live("names all fields if one has another name", () =>
    script(async (client) => {
      expect(await rejectionOf(untyped(client.sendSms, { to: recipient }))).toHaveProperty(
        "message",
        "to: not a documented field; these are recipient, message, sender_id, webhook_url, scheduled_time. Nothing was sent: sending again is safe"
      )
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
  it.each([
    ...Object.keys(core.documentedErrors),
    "ConfigurationError",
    "ConnectionFailed",
    "ConnectionLost",
    "InvalidInput",
    "InvalidResponse",
    "RequestTimedOut",
    "UndocumentedStatus"
  ])("%s has one class, for both clients", (name) => {
    expect(Reflect.get(promiseEntry, name)).toBeTypeOf("function")
    expect(Reflect.get(promiseEntry, name)).toBe(Reflect.get(core, name))
  })

  const documented = operationNames.flatMap((name) =>
    contract[name].errors.map((status) => [name, status, errorTags[status]] as const)
  )

  it.live.each(documented)("of %s after HTTP %i is core's own %s", ([name, status]) =>
    script(async (client, server) => {
      server.respondWith(reply(status, errorBody(status)))
      const error = await rejectionOf(calls[name](client))
      expect(error).toBeInstanceOf(
        Object.values(documentedErrors).find((each) => each.status === status)
      )
      const { error: detail } = errorBody(status)
      expect(error).toMatchObject({
        _tag: errorTags[status],
        operation: name,
        status,
        error: detail
      })
    })
  )

  // Wire.test.ts has all failures: this client uses the same transport.
  const failures: ReadonlyArray<
    readonly [name: string, respond: Respond, expected: object, outcome: SendOutcome]
  > = [
    ["402", reply(402, errorBody(402)), PaymentRequired, "not-sent"],
    ["500", reply(500, errorBody(500)), InternalServerError, "unknown"],
    ["429", reply(429), UndocumentedStatus, "not-sent"],
    ["202 with another body", reply(202, "<html>"), InvalidResponse, "sent"],
    ["a reset in the body of 202", breakOff(202), ConnectionLost, "sent"],
    ["no response", silence, RequestTimedOut, "unknown"]
  ]

  it.live.each(failures)(
    "of sendSms after %s says whether it went out, and is the only request",
    ([, respond, expected, outcome]) =>
      script(
        async (client, server) => {
          server.respondWith(respond)
          const error = await rejectionOf(calls.sendSms(client))
          expect(error).toBeInstanceOf(expected)
          expect(error).toHaveProperty("operation", "sendSms")
          expectOutcome(error, "sendSms", outcome)
          expect(server.received).toHaveLength(1)
        },
        expected === RequestTimedOut ? { timeout: 500 } : {}
      )
  )

  it.live("of sendSms on a reused connection is one request, too", () =>
    script(async (client, server) => {
      server.respondWith(reply(202, contract.sendSms.success))
      await calls.sendSms(client)
      server.respondWith(reset)
      const error = await rejectionOf(calls.sendSms(client))
      expect(error).toMatchObject({ _tag: "ConnectionLost", sendOutcome: "unknown" })
      expect(server.received).toHaveLength(1)
    })
  )

  it.live.each(operationNames)("of %s without a server says that nothing went out", (name) =>
    Effect.gen(function* () {
      const client = createClient({ baseUrl: yield* urlWithoutServer, token, readRetries: 0 })
      const error = yield* Effect.promise(() => rejectionOf(calls[name](client)))
      expect(error).toBeInstanceOf(ConnectionFailed)
      expect(error).toMatchObject({ operation: name, code: "ECONNREFUSED" })
      expectOutcome(error, name, "not-sent")
    })
  )

  const failedReads: ReadonlyArray<readonly [name: string, respond: Respond, expected: object]> = [
    ["503", reply(503), UndocumentedStatus],
    ["a reset in the body of 200", breakOff(200), ConnectionLost],
    ["no response", silence, RequestTimedOut]
  ]

  it.live.each(failedReads)("of every read after %s has no outcome", ([, respond, expected]) =>
    script(
      async (client, server) => {
        server.respondWith(respond)
        for (const name of reads) {
          const error = await rejectionOf(calls[name](client))
          expect(error).toBeInstanceOf(expected)
          expectOutcome(error, name, "unknown")
        }
      },
      expected === RequestTimedOut ? { timeout: 50 } : {}
    )
  )

  it.live("shows its outcome when it is printed", () =>
    script(async (client, server) => {
      server.respondWith(reset)
      const error = await rejectionOf(calls.sendSms(client))
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({ sendOutcome: "unknown" })
      expect(inspect(error)).toContain("sendOutcome: 'unknown'")
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
      | "InvalidRequest"
      | "AuthenticationFailed"
      | "PaymentRequired"
      | "InsufficientPermissions"
      | "NotFound"
      | "InternalServerError"
      | "InvalidInput"
      | "ConnectionFailed"
      | "ConnectionLost"
      | "RequestTimedOut"
      | "UndocumentedStatus"
      | "InvalidResponse"
      | "Aborted"
      | "ClientClosed"
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

  it.live.each(operationNames)("that is aborted before %s prevents the request", (name) =>
    script(async (client, server) => {
      server.respondWith(reply(contract[name].successStatus, contract[name].success))
      const error = await rejectionOf(calls[name](client, { signal: AbortSignal.abort("why") }))
      expect(error).toMatchObject({ ...abortError, operation: name, started: false })
      expectOutcome(error, name, "not-sent")
      expect(server.received).toEqual([])
    })
  )

  it.live.each(operationNames)("aborts %s before the response, and the server notices", (name) =>
    script(async (client, server) => {
      const controller = new AbortController()
      server.respondWith(() => controller.abort())
      const disconnected = server.nextDisconnect()
      const error = await rejectionOf(calls[name](client, { signal: controller.signal }))
      await disconnected
      expect(error).toMatchObject({ ...abortError, operation: name, started: true })
      expectOutcome(error, name, "unknown")
      expect(server.received).toHaveLength(1)
    })
  )

  it.live.each(operationNames)("aborts %s during the body, and the server notices", (name) =>
    script(async (client, server) => {
      const controller = new AbortController()
      server.respondWith(beginWith(contract[name].successStatus))
      const disconnected = server.nextDisconnect()
      const begun = fetchReports("headers")
      const rejection = rejectionOf(calls[name](client, { signal: controller.signal }))
      await begun
      controller.abort()
      await disconnected
      const error = await rejection
      const status = contract[name].successStatus
      expect(error).toMatchObject({ ...abortError, operation: name, started: true, status })
      expectOutcome(error, name, "sent")
    })
  )

  it.live("that times out aborts the call", () =>
    script(async (client, server) => {
      server.respondWith(silence)
      const error = await rejectionOf(calls.sendSms(client, { signal: AbortSignal.timeout(50) }))
      expect(error).toMatchObject({ name: "AbortError", started: true, sendOutcome: "unknown" })
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

  it.live("aborts exactly the calls that it was passed to", () =>
    script(async (client, server) => {
      const controller = new AbortController()
      const { signal } = controller
      const responses: Array<() => void> = []
      const sent = new Promise<void>((resolve) => {
        server.respondWith((request, response) => {
          responses.push(() => reply(202, contract.sendSms.success)(request, response))
          if (responses.length === 3) resolve()
        })
      })
      const aborted = [1, 2].map(() => rejectionOf(calls.sendSms(client, { signal })))
      const other = calls.sendSms(client)
      await sent
      controller.abort()
      for (const error of await Promise.all(aborted))
        expect(error).toMatchObject({ _tag: "Aborted" })
      for (const respond of responses) respond()
      expect(await other).toEqual(contract.sendSms.success)
    })
  )

  it.live("is unchanged after the call", () =>
    script(async (client, server) => {
      const controller = new AbortController()
      const { signal } = controller
      server.respondWith(reply(202, contract.sendSms.success))
      await calls.sendSms(client, { signal })
      server.respondWith(reply(400, errorBody(400)))
      await rejectionOf(calls.sendSms(client, { signal }))
      expect(getEventListeners(signal, "abort")).toEqual([])
      controller.abort()
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
      },
      { connections: 1 }
    )
  )
})

describe("an option is applied:", () => {
  it.live("readRetries", () =>
    script(
      async (client, server) => {
        server.respondWith(reply(503))
        await rejectionOf(client.getSmsStatus("m-1"))
        expect(server.received).toHaveLength(2)
      },
      { readRetries: 1 }
    )
  )

  it.live("timeout, in milliseconds", () =>
    script(
      async (client, server) => {
        server.respondWith(silence)
        expect(await rejectionOf(calls.sendSms(client))).toMatchObject({ timeoutMillis: 50 })
      },
      { timeout: 50 }
    )
  )

  it.live("maxBodyBytes", () =>
    script(
      async (client, server) => {
        server.respondWith(reply(200, contract.getSmsStatus.success))
        expect(await rejectionOf(client.getSmsStatus("m-1"))).toMatchObject({
          _tag: "InvalidResponse",
          problem: "more than 20 bytes"
        })
      },
      { maxBodyBytes: 20 }
    )
  )

  it("allowInsecureHttp", () => {
    const options = { baseUrl: "http://api.example.com", token }
    expect(() => createClient(options)).toThrow(/https/)
    expect(createClient({ ...options, allowInsecureHttp: true })).toHaveProperty("sendSms")
  })
})

describe("the stack of a rejection", () => {
  it.live.each(operationNames)("of %s names the caller", (name) =>
    script(async (client, server) => {
      server.respondWith(reply(400, errorBody(400)))
      const aCallerOfTheProgram = async () => {
        await calls[name](client)
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
      while (server.connections() > 0) {
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      expect(performance.now() - closed).toBeLessThan(1_000)
    })
  )

  it.live("waits for the calls in flight, whether they succeed or fail", () =>
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
      for (const respond of responses) respond()
      await Promise.all([...settled, closed])
      expect(order.toSorted()).toEqual(["closed", "rejected", "sent"])
      expect(order.at(-1)).toBe("closed")
    })
  )

  it.live("happens at the end of an `await using` block", () =>
    script(async (_, server) => {
      const order: Array<string> = []
      server.respondWith((request, response) => {
        order.push("received")
        setImmediate(() => reply(202, contract.sendSms.success)(request, response))
      })
      {
        await using client = createClient({ baseUrl: server.baseUrl, token })
        void calls.sendSms(client).then(() => order.push("sent"))
      }
      order.push("closed")
      expect(order).toEqual(["received", "sent", "closed"])
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

  it.live("rejects new calls while calls in flight end", () =>
    script(async (client, server) => {
      const responded = new Promise<() => void>((resolve) => {
        server.respondWith((request, response) => {
          resolve(() => reply(202, contract.sendSms.success)(request, response))
        })
      })
      const sending = calls.sendSms(client)
      const respond = await responded
      const closing = client[Symbol.asyncDispose]()
      expect(await rejectionOf(calls.sendSms(client))).toMatchObject({ _tag: "ClientClosed" })
      respond()
      await Promise.all([sending, closing])
      expect(server.received).toHaveLength(1)
    })
  )

  it.live("is allowed twice", () =>
    script(async (client) => {
      await client[Symbol.asyncDispose]()
      await client[Symbol.asyncDispose]()
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
        await new Promise((resolve) => setImmediate(resolve))
        process.off("unhandledRejection", listener)
        expect(unhandled).toEqual([])
      },
      { timeout: 100 }
    )
  )
})
