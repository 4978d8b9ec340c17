import { describe, expect, it } from "@effect/vitest"
import {
  ConfigurationError,
  ConnectionFailed,
  ConnectionLost,
  documentedErrors,
  type GetSmsStatusResponse,
  InternalServerError,
  InvalidInput,
  InvalidResponse,
  PaymentRequired,
  RequestTimedOut,
  type SendOutcome,
  type SendSmsResponse,
  SmsText,
  UndocumentedStatus
} from "@messaging-topup/core"
import {
  type CallOptions,
  createClient,
  type CreateClientOptions,
  isMessagingTopupError,
  isSendSmsRejection,
  type MessagingTopupClient,
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
    >().returns.resolves.toEqualTypeOf<SendSmsResponse>()
    expectTypeOf<
      MessagingTopupClient["getSmsStatus"]
    >().returns.resolves.toEqualTypeOf<GetSmsStatusResponse>()
  })

  it.live("sends the given fields of an SMS without those that are undefined", () =>
    script(async (client, server) => {
      server.respondWith(reply(202, contract.sendSms.success))
      await untyped(client.sendSms, {
        recipient,
        message: text,
        sender_id: undefined,
        webhook_url: "https://hooks.example.com/sms",
        scheduled_time: undefined
      })
      expect(JSON.parse(server.received[0]?.body ?? "")).toEqual({
        recipient,
        message: text,
        webhook_url: "https://hooks.example.com/sms"
      })
    })
  )

  it.live("passes on the caller's query parameters beside a signal", () =>
    script(async (client, server) => {
      server.respondWith(reply(200, contract.listDataBundles.success))
      const { signal } = new AbortController()
      await client.listDataBundles({ query: { network: "any", tag: ["a", "b"] }, signal })
      expect(server.received[0]?.url).toBe("/v1/list-bundles?network=any&tag=a&tag=b")
    })
  )

  it.live.each<[field: string, method: keyof MessagingTopupClient, values: ReadonlyArray<unknown>]>(
    [
      ["senderId", "sendSms", [{ recipient, message: text, senderId: "ACME" }]],
      ["message", "sendSms", [{ recipient }]],
      ["recipient", "sendSms", [{ recipient: 15550100123, message: text }]],
      ["request", "sendSms", []],
      ["request", "sendSms", [null]],
      ["message_id", "getSmsStatus", []],
      ["message_id", "getSmsStatus", [""]],
      ["referencecode", "getAirtimeStatus", [4711]],
      ["referencecode", "getDataBundleStatus", [{ referencecode: "d-1" }]],
      ["network", "listDataBundles", [{ query: { network: 7 } }]]
    ]
  )("rejects with the name of the wrong field, %s, and sends nothing", ([field, method, values]) =>
    script(async (client, server) => {
      const error = await rejectionOf(untyped(client[method], ...values))
      expect(error).toBeInstanceOf(InvalidInput)
      expect(error).toHaveProperty("field", field)
      expect(server.received).toEqual([])
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

  it.live("previews a text as core does, and sends nothing", () =>
    script(async (client, server) => {
      for (const message of ["", text, "Ça coûte 5 €", "👋".repeat(36)]) {
        expect(await client.previewSms(message)).toEqual(SmsText.preview(message))
      }
      expect(server.received).toEqual([])
    })
  )

  it.live("rejects a preview of what is not a text", () =>
    script(async (client) => {
      for (const value of [undefined, null, 7]) {
        await expect(untyped(client.previewSms, value)).rejects.toMatchObject({
          _tag: "InvalidInput",
          field: "message"
        })
      }
    })
  )

  it.live("refuses a signal without removeEventListener, before anything is sent", () =>
    script(async (client, server) => {
      const signal = { aborted: false, addEventListener: () => {} }
      const sending = untyped(client.sendSms, { recipient, message: text }, { signal })
      await expect(sending).rejects.toMatchObject({
        _tag: "InvalidInput",
        field: "signal",
        sendOutcome: "not-sent"
      })
      expect(server.received).toEqual([])
    })
  )
})

describe("a rejection", () => {
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
      expect(error).toMatchObject({ _tag: errorTags[status], status, ...errorBody(status) })
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
          expect(error).toHaveProperty("sendOutcome", outcome)
          expect(isSendSmsRejection(error)).toBe(true)
          expect(server.received).toHaveLength(1)
        },
        expected === RequestTimedOut ? { timeoutMillis: 500 } : {}
      )
  )

  // A browser resends a request on a reused connection: Browser.full.test.ts.
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

  it.live("of sendSms without a server says that nothing went out", () =>
    Effect.gen(function* () {
      const client = createClient({ baseUrl: yield* urlWithoutServer, token })
      const error = yield* Effect.promise(() => rejectionOf(calls.sendSms(client)))
      expect(error).toBeInstanceOf(ConnectionFailed)
      expect(error).toMatchObject({ code: "ECONNREFUSED", sendOutcome: "not-sent" })
    })
  )

  it.live("of sendSms with a wrong field says that nothing went out", () =>
    script(async (client) => {
      const error = await rejectionOf(untyped(client.sendSms, { recipient }))
      expect(error).toMatchObject({ _tag: "InvalidInput", sendOutcome: "not-sent" })
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
        for (const error of await Promise.all(
          reads.map((name) => rejectionOf(calls[name](client)))
        )) {
          expect(error).toBeInstanceOf(expected)
          expect(error).not.toHaveProperty("sendOutcome")
          expect(isSendSmsRejection(error)).toBe(false)
        }
      },
      expected === RequestTimedOut ? { timeoutMillis: 50 } : {}
    )
  )

  it.live("of a read without a server has no outcome", () =>
    Effect.gen(function* () {
      const client = createClient({ baseUrl: yield* urlWithoutServer, token })
      const error = yield* Effect.promise(() => rejectionOf(calls.getSmsStatus(client)))
      expect(error).toBeInstanceOf(ConnectionFailed)
      expect(isSendSmsRejection(error)).toBe(false)
    })
  )

  it.live("shows its outcome when it is printed", () =>
    script(async (client, server) => {
      server.respondWith(reset)
      const error = await rejectionOf(calls.sendSms(client))
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({ sendOutcome: "unknown" })
      expect(inspect(error)).toContain("sendOutcome: 'unknown'")
    })
  )

  it.live("says how long the client waited, in milliseconds", () =>
    script(
      async (client, server) => {
        server.respondWith(silence)
        expect(await rejectionOf(calls.sendSms(client))).toMatchObject({ timeoutMillis: 50 })
      },
      { timeoutMillis: 50 }
    )
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
      | "TokenUnavailable"
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
  it.live.each(operationNames)("that is aborted before %s prevents the request", (name) =>
    script(async (client, server) => {
      server.respondWith(reply(contract[name].successStatus, contract[name].success))
      const error = await rejectionOf(calls[name](client, { signal: AbortSignal.abort("why") }))
      expect(error).toMatchObject({ _tag: "Aborted", name: "AbortError", started: false })
      expect(isSendSmsRejection(error) && error.sendOutcome).toBe(name === "sendSms" && "not-sent")
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
      expect(error).toMatchObject({ _tag: "Aborted", name: "AbortError", started: true })
      expect(isSendSmsRejection(error) && error.sendOutcome).toBe(name === "sendSms" && "unknown")
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
      expect(error).toMatchObject({ _tag: "Aborted", name: "AbortError", started: true, status })
      expect(isSendSmsRejection(error) && error.sendOutcome).toBe(name === "sendSms" && "sent")
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
    Effect.gen(function* () {
      const server = yield* socketServer
      const allTaken = Promise.withResolvers<void>()
      server.onRequest((_, nth) => {
        if (nth === 100) allTaken.resolve()
      })
      const client = createClient({ baseUrl: server.baseUrl, token })
      const controller = new AbortController()
      const { signal } = controller
      const held = Array.from({ length: 100 }, () => rejectionOf(calls.sendSms(client, { signal })))
      yield* Effect.promise(() => allTaken.promise)
      const queued = calls.sendSms(client, { signal: AbortSignal.timeout(20) })
      const error = yield* Effect.promise(() => rejectionOf(queued))
      expect(error).toMatchObject({ _tag: "Aborted", started: false, sendOutcome: "not-sent" })
      controller.abort()
      for (const each of yield* Effect.promise(() => Promise.all(held))) {
        expect(each).toMatchObject({ _tag: "Aborted", started: true, sendOutcome: "unknown" })
      }
      yield* Effect.promise(() => client.close())
      expect(server.received).toHaveLength(100)
    })
  )

  it.live.each<readonly [field: string, options: unknown]>([
    ["signl", { signl: AbortSignal.timeout(1) }],
    ["options", 5],
    [
      "options",
      {
        get signal() {
          throw new Error("unreadable")
        }
      }
    ]
  ])(
    "that is misspelt or cannot be read rejects the call, and nothing is sent: %s",
    ([field, options]) =>
      script(async (client, server) => {
        for (const name of operationNames) {
          const call = untyped(
            client[name],
            ...(name === "listDataBundles"
              ? []
              : [name === "sendSms" ? { recipient, message: text } : "m-1"]),
            options
          )
          expect(await rejectionOf(call)).toMatchObject({ _tag: "InvalidInput", field })
        }
        expect(server.received).toEqual([])
      })
  )

  it.live("of a wrong type rejects the call, and nothing is sent", () =>
    script(async (client, server) => {
      server.respondWith(reply(202, contract.sendSms.success))
      const options: unknown = { signal: new AbortController() }
      const error = await rejectionOf(
        untyped(client.sendSms, { recipient, message: text }, options)
      )
      expect(error).toMatchObject({ _tag: "InvalidInput", sendOutcome: "not-sent" })
      expect(server.received).toEqual([])
    })
  )
})

describe("createClient", () => {
  const baseUrl = "https://api.example.com"

  // Settings.test.ts has all values that are refused.
  it.each<[setting: string, why: string, options: object]>([
    ["baseUrl", "missing", { token }],
    ["baseUrl", "not a text", { baseUrl: new URL(baseUrl), token }],
    ["baseUrl", "with credentials", { baseUrl: "https://me:secret@api.example.com", token }],
    ["token", "missing", { baseUrl }],
    ["token", "empty", { baseUrl, token: "" }],
    ["token", "not a text", { baseUrl, token: 4711 }],
    ["timeoutMillis", "zero", { baseUrl, token, timeoutMillis: 0 }],
    ["timeoutMillis", "negative", { baseUrl, token, timeoutMillis: -1 }],
    ["timeoutMillis", "no duration", { baseUrl, token, timeoutMillis: "soon" }],
    ["readRetries", "negative", { baseUrl, token, readRetries: -1 }],
    ["allowInsecureHttp", "no boolean", { baseUrl, token, allowInsecureHttp: "yes" }],
    ["timeout", "an option of the other client", { baseUrl, token, timeout: 30 }],
    ["retries", "an option of another library", { baseUrl, token, retries: 3 }],
    ["baseUrl", "missing, as is everything", {}]
  ])("throws if %s is %s, and names the option", (setting, _, options) => {
    const create = () => untyped(createClient, options)
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(expect.objectContaining({ setting }))
    expect(create).not.toThrow(/secret/)
  })
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

  it.live("that is undefined has its default", () =>
    script(
      async (client, server) => {
        server.respondWith(reply(202, contract.sendSms.success))
        await client.sendSms({ recipient, message: text, sender_id: undefined })
        expect(JSON.parse(server.received[0]?.body ?? "")).toEqual({ recipient, message: text })
      },
      { timeoutMillis: undefined, readRetries: undefined, maxBodyBytes: undefined }
    )
  )
})

describe("awaitSmsStatus", () => {
  const record = (status: string) => ({
    ...contract.getSmsStatus.success,
    data: [{ recipient, message_id: "m-1", status }]
  })

  /** Each response once, then always the last one. */
  const inTurn = (...responds: ReadonlyArray<Respond>): Respond => {
    let nth = 0
    return (request, response) =>
      responds.at(Math.min(nth++, responds.length - 1))?.(request, response)
  }

  const options = {
    until: ({ status }: { readonly status: string }) => status === "final",
    intervalMillis: 1,
    timeoutMillis: 10_000
  }

  it.live.each<readonly [field: string, wrong: object | undefined]>([
    ...[Number.NaN, 0, -5, 0.001, Infinity, "1000"].map(
      (intervalMillis) => ["intervalMillis", { intervalMillis }] as const
    ),
    ...[Number.NaN, 0, -5, Infinity, "abc"].map(
      (timeoutMillis) => ["timeoutMillis", { timeoutMillis }] as const
    ),
    ["until", { until: 5 }],
    ["until", { until: undefined }],
    ["continueOn", { continueOn: "NotFound" }],
    ["interval", { interval: 100 }],
    ["until", undefined]
  ])("rejects what it cannot wait with, and asks nothing: %s %o", ([field, wrong]) =>
    script(async (client, server) => {
      const given = wrong === undefined ? undefined : { ...options, ...wrong }
      const waiting = untyped(client.awaitSmsStatus, "m-1", given)
      expect(await rejectionOf(waiting)).toMatchObject({ _tag: "InvalidInput", field })
      expect(server.received).toEqual([])
    })
  )

  it.live("reads until a record satisfies the caller", () =>
    script(async (client, server) => {
      server.respondWith(
        inTurn(reply(200, record("one")), reply(200, record("two")), reply(200, record("final")))
      )
      expect(await client.awaitSmsStatus("m-1", options)).toMatchObject({ status: "final" })
      expect(server.received).toHaveLength(3)
    })
  )

  it.live("ends with an error, or continues if continueOn says so", () =>
    script(
      async (client, server) => {
        const responds = [reply(404, errorBody(404)), reset, reply(200, record("final"))]
        server.respondWith(inTurn(...responds))
        expect(await rejectionOf(client.awaitSmsStatus("m-1", options))).toMatchObject({
          _tag: "NotFound"
        })
        server.respondWith(inTurn(...responds))
        const found = await client.awaitSmsStatus("m-1", {
          ...options,
          continueOn: ({ _tag }) => _tag === "NotFound" || _tag === "ConnectionLost"
        })
        expect(found).toMatchObject({ status: "final" })
        expect(server.received).toHaveLength(3)
      },
      { readRetries: 0 }
    )
  )

  it.live("rejects with the last record after the time-out", () =>
    script(async (client, server) => {
      server.respondWith(reply(200, record("one")))
      const error = await rejectionOf(
        client.awaitSmsStatus("m-1", { ...options, timeoutMillis: 200 })
      )
      expect(isMessagingTopupError(error)).toBe(true)
      expect(isSendSmsRejection(error)).toBe(false)
      expect(error).toMatchObject({ _tag: "StillPending", lastRecord: { status: "one" } })
    })
  )

  it.live("ends with its signal", () =>
    script(async (client, server) => {
      const controller = new AbortController()
      server.respondWith(inTurn(reply(200, record("one")), () => controller.abort()))
      const { signal } = controller
      const waiting = rejectionOf(client.awaitSmsStatus("m-1", { ...options, signal }))
      expect(await waiting).toMatchObject({ _tag: "Aborted" })
    })
  )

  it.live("ends when the client is closed, which does not wait for it", () =>
    script(async (client, server) => {
      const hour = { ...options, intervalMillis: 3_600_000, timeoutMillis: 3_600_000 }
      const asked = new Promise<void>((resolve) => {
        server.respondWith((received, response) => {
          reply(200, record("one"))(received, response)
          resolve()
        })
      })
      const waiting = rejectionOf(client.awaitSmsStatus("m-1", hour))
      await asked
      await client.close()
      const error = await waiting
      expect(error).toMatchObject({ _tag: "ClientClosed" })
      expect(error).toHaveProperty("stack", expect.stringContaining("ClientClosed"))
    })
  )

  it.live("refuses an until that returns a promise, at the first record", () =>
    script(async (client, server) => {
      server.respondWith(reply(200, record("one")))
      const until = () => Promise.resolve(false)
      // @ts-expect-error -- a promise is no boolean
      const waiting = client.awaitSmsStatus("m-1", { ...options, until, continueOn: () => true })
      expect(await rejectionOf(waiting)).toMatchObject({ _tag: "InvalidInput", field: "until" })
      expect(server.received).toHaveLength(1)
    })
  )
})

describe("isMessagingTopupError", () => {
  it.live("is true of every rejection, and of core's own errors", () =>
    script(async (client, server) => {
      server.respondWith(reply(402, errorBody(402)))
      expect(isMessagingTopupError(await rejectionOf(calls.sendSms(client)))).toBe(true)
      expect(isMessagingTopupError(await rejectionOf(client.getSmsStatus("")))).toBe(true)
      expect(isMessagingTopupError(new ConnectionLost({}))).toBe(true)
    })
  )

  it.each([undefined, null, "NotFound", new Error("NotFound"), { _tag: "NotFound" }])(
    "is false of %o",
    (value) => {
      expect(isMessagingTopupError(value)).toBe(false)
    }
  )
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
      expect(error).toMatchObject({ _tag: "ClientClosed" })
      expect(isSendSmsRejection(error) && error.sendOutcome).toBe(name === "sendSms" && "not-sent")
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
      { timeoutMillis: 100 }
    )
  )
})

it.live("a field with another name is refused with the names of all fields", () =>
  script(async (client, server) => {
    const refused = await rejectionOf(untyped(client.sendSms, { to: recipient, body: text }))
    expect(refused).toHaveProperty(
      "message",
      "Nothing was sent. to: not a documented field; these are recipient, message, sender_id, webhook_url, scheduled_time"
    )
    expect(server.received).toEqual([])
  })
)
