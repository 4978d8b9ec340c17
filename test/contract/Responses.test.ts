import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup } from "@messaging-topup/core"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { reply, type Respond } from "../harness/ResponseServer.ts"
import { transports } from "../harness/Clients.ts"
import {
  contract,
  documentedStatuses,
  errorBody,
  errorTags,
  type OperationName,
  operationNames,
  recipient,
  sendOne
} from "../harness/Contract.ts"
import { requirement } from "../harness/requirements.ts"
import { service as onSandbox } from "../harness/journal/Service.ts"
import { serving } from "../harness/Serving.ts"

const html = "<html><body>nginx</body></html>"

/** The statements of §2 and §4 on the success and the errors of each operation. */
const statements = {
  sendSms: [requirement("4.1-success"), requirement("2.2-fields"), requirement("4.1-errors")],
  getSmsStatus: [requirement("4.2-success"), requirement("2.3-fields"), requirement("4.2-errors")],
  getAirtimeStatus: [
    requirement("4.3-success"),
    requirement("2.4-fields"),
    requirement("4.3-errors")
  ],
  getDataBundleStatus: [
    requirement("4.4-success"),
    requirement("2.5-fields"),
    requirement("4.4-errors")
  ],
  listDataBundles: [
    requirement("4.5-success"),
    requirement("2.6-fields"),
    requirement("4.5-errors")
  ]
} as const

describe.for(transports)("over %s", ([, transport]) => {
  describe.for(operationNames)("%s", (name) => {
    const { call, errors, success, successStatus } = contract[name]
    const [successTitle, fieldsTitle, errorsTitle] = statements[name]

    it.live(`${successTitle}, ${fieldsTitle}, with any content type and with unknown fields`, () =>
      serving({ transport }, function* (service, server) {
        server.respondWith(reply(successStatus, { ...success, undocumented: { deep: [1] } }))
        expect(yield* call(service)).toEqual(success)
        server.respondWith(reply(successStatus, success, { "content-type": "text/html" }))
        expect(yield* call(service)).toEqual(success)
      })
    )

    it.live(errorsTitle, () =>
      serving({ transport }, function* (service, server) {
        const typed: Array<number> = []
        for (const status of documentedStatuses.filter((each) => each !== successStatus)) {
          server.respondWith(reply(status, errorBody(status)))
          const error = yield* Effect.flip(call(service))
          if (error._tag === "UndocumentedStatus") expect(error).toMatchObject({ status })
          else {
            const { error: body } = errorBody(status)
            expect(error).toMatchObject({
              operation: name,
              _tag: errorTags[status],
              status,
              error: body
            })
            typed.push(status)
          }
        }
        expect(typed).toEqual(errors)
      })
    )
  })
})

type Case = readonly [number, object, Effect.Effect<unknown, unknown>, unknown]

// AnyJson.test.ts has the result of every status and body, with each field missing or of another type, and
// Failures.test.ts the outcome of each failure.
it.live("the problem of an InvalidResponse is the place of the value", () =>
  serving({}, function* (service, server) {
    const data = [
      { recipient, message_id: "m-1", status: "any" },
      { recipient, status: "any" }
    ]
    const airtime = { ...contract.getAirtimeStatus.success, data: [{ status: {} }] }
    const bundles = service.listDataBundles()
    const cases: ReadonlyArray<Case> = [
      [
        202,
        { ...contract.sendSms.success, data },
        sendOne(service),
        "data.1.message_id is missing"
      ],
      [200, airtime, service.getAirtimeStatus("a-1"), "data.0.status: Expected string"],
      [200, { category: [{ name: "Day" }] }, bundles, "category.0.bundle_id is missing"],
      [200, { category: [5] }, bundles, expect.stringMatching(/^category\.0: Expected /)]
    ]
    for (const [status, body, call, problem] of cases) {
      server.respondWith(reply(status, body))
      expect(yield* Effect.flip(call)).toMatchObject({ _tag: "InvalidResponse", problem })
    }
  })
)

describe("the body that an error keeps", () => {
  it.live("has at most 65,536 characters, and so have the words of a documented error", () =>
    serving({}, function* (service, server) {
      const long = "ä".repeat(1_000_000)
      const body = { success: false, error: { status: 400, title: long, detail: long } }
      server.respondWith(reply(400, body))
      const error = yield* Effect.flip(sendOne(service))
      if (error._tag !== "InvalidRequest") throw error
      expect(error.error.title).toBe("ä".repeat(64 * 1024))
      expect(error.error.detail).toBe("ä".repeat(64 * 1024))
    })
  )

  // ClientSecrets.test.ts has the other errors, and every place of a cut.
  it.live("of an InvalidResponse has at most 65,536 characters", () =>
    serving({}, function* (service, server) {
      const kept = 64 * 1024
      for (const length of [kept - 1, kept, kept + 1, 5_000_000]) {
        server.respondWith(reply(200, "x".repeat(length)))
        const error = yield* Effect.flip(service.getSmsStatus("m-1"))
        expect(error).toMatchObject({ body: "x".repeat(Math.min(length, kept)) })
      }
    })
  )
})

describe("a message", () => {
  const messageOf = (respond: Respond, call: OperationName) =>
    serving({}, function* (service, server) {
      server.respondWith(respond)
      const error = yield* Effect.flip(contract[call].call(service))
      return { message: "message" in error ? String(error.message) : "" }
    })

  const lost: Respond = (_, response) => response.destroy()
  const cutOff: Respond = (_, response) => {
    response.writeHead(202, { "content-length": "100" }).flushHeaders()
    response.write("{", () => response.destroy())
  }

  it.live.each([
    ["a lost connection", lost, "may have gone out: do not send it again"],
    ["an undocumented status", reply(503), "may have gone out: do not send it again"],
    ["an unreadable body", reply(500, html), "may have gone out: do not send it again"],
    ["a 202 that says success: false", reply(202, { success: false }), "may have gone out"],
    ["a 202 with a page", reply(202, html), "may have gone out: do not send it again"],
    ["an unreadable 202", reply(202, '{"success":true,'), "was accepted: do not send it again"],
    ["a 202 that is cut off", cutOff, "was accepted: do not send it again"],
    ["429", reply(429), "Nothing was sent: sending again is safe"],
    // The same SMS is refused again.
    ["400", reply(400, errorBody(400)), /Nothing was sent$/],
    ["402", reply(402, errorBody(402)), /Nothing was sent$/]
  ] as const)("says what to do after %s of a send, and only of a send", ([, respond, advice]) =>
    Effect.gen(function* () {
      expect(yield* messageOf(respond, "sendSms")).toEqual({
        message: expect.stringMatching(advice)
      })
      for (const name of operationNames.filter((each) => each !== "sendSms")) {
        expect((yield* messageOf(respond, name)).message).not.toMatch(/SMS|sent|send/)
      }
    })
  )

  it.live.each([
    ["a documented error", reply(402, errorBody(402))],
    ["another status", reply(418, errorBody(418))]
  ] as const)("has nothing of the service's words, nor where they are: %s", ([, respond]) =>
    Effect.gen(function* () {
      const { message } = yield* messageOf(respond, "sendSms")
      expect(message).not.toMatch(/A detail|error\.(error|body)/)
    })
  )
})

// AnyJson.test.ts has whether a body of a 202 can be read.
describe("a 202 that is not as documented", () => {
  it.live("is unknown if the connection breaks after it said something else", () =>
    serving({}, function* (service, server) {
      for (const [part, outcome] of [
        ['{"success":true,"da', "sent"],
        ["", "sent"],
        ['{"success":false,"er', "unknown"],
        ["<html><he", "unknown"]
      ] as const) {
        server.respondWith((_, response) => {
          response.writeHead(202, { "content-length": "100" }).flushHeaders()
          response.write(part, () => setTimeout(() => response.destroy(), 20))
        })
        const error = yield* Effect.flip(sendOne(service))
        expect(error, part).toMatchObject({ status: 202, sendOutcome: outcome })
        const _tag = outcome === "sent" ? "ConnectionLost" : "InvalidResponse"
        expect(error, part).toMatchObject({ _tag })
      }
    })
  )
})

describe("the description", () => {
  const titles = [requirement("2.7-fields"), requirement("7-titles"), requirement("7-status")]

  it.live(titles.join(", "), () =>
    serving({}, function* (service, server) {
      for (const said of [400, 404]) {
        server.respondWith(reply(400, errorBody(said)))
        expect(yield* Effect.flip(service.getSmsStatus("m-1"))).toMatchObject({
          _tag: "InvalidRequest",
          status: 400,
          error: { status: said, title: "A title", detail: "A detail" }
        })
      }
    })
  )

  it.live(requirement("3-statuses"), () =>
    serving({}, function* (service, server) {
      const data = ["", "DELIVERED", "delivered", "не доставлено"].map((status) => ({
        recipient,
        message_id: "m-1",
        status
      }))
      server.respondWith(reply(202, { success: true, status: 202, message: "", data }))
      const sent = yield* sendOne(service)
      expect(sent.data).toEqual(data)
    })
  )

  it.live(requirement("2.8-formats"), () =>
    serving({}, function* (service, server) {
      const bundle = {
        bundle_id: " ",
        name: "",
        price: "about 1,000.00 ₦",
        data_amount: "1½ GB",
        validity: "until Sunday"
      }
      server.respondWith(reply(200, { category: [bundle] }))
      expect((yield* service.listDataBundles()).category).toEqual([bundle])
      const request = { recipient: "no number at all", message: "", scheduled_time: "tomorrow" }
      server.respondWith(reply(202, contract.sendSms.success))
      yield* service.sendSms(request)
      expect(JSON.parse(server.received[0]?.body ?? "")).toEqual(request)
    })
  )

  it.effect(requirement("5-401"), () =>
    Effect.gen(function* () {
      const { baseUrl, messages } = yield* Sandbox
      const service = yield* MessagingTopup.make({ baseUrl, token: Redacted.make("another-token") })
      for (const name of operationNames) {
        const { call, errors } = contract[name]
        expect(yield* Effect.flip(call(service))).toMatchObject({
          _tag: errors.includes(401) ? "AuthenticationFailed" : "UndocumentedStatus",
          status: 401
        })
      }
      expect(yield* messages()).toEqual([])
    }).pipe(Effect.provide(onSandbox))
  )

  it.effect(requirement("5-403"), () =>
    Effect.gen(function* () {
      const service = yield* MessagingTopup
      expect(yield* Effect.flip(service.getSmsStatus("m-0403"))).toMatchObject({
        _tag: "InsufficientPermissions",
        status: 403
      })
    }).pipe(Effect.provide(onSandbox))
  )
})
