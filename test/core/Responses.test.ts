import { describe, expect, it } from "@effect/vitest"
import { sendOutcome } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import { reply } from "../support/ResponseServer.ts"
import { transports } from "../support/Clients.ts"
import {
  contract,
  errorBody,
  errorTags,
  type OperationName,
  operationNames,
  recipient,
  text
} from "../support/Contract.ts"
import { requirement } from "../support/requirements.ts"
import { serving } from "../support/Serving.ts"

const html = "<html><body>nginx</body></html>"

const wrongShapes: ReadonlyArray<readonly [string, unknown]> = [
  ["HTML", html],
  ["nothing", ""],
  ["truncated JSON", '{"success":'],
  ["another shape", { oops: true }],
  ["an array", []],
  ["null", "null"],
  ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0xfe, 0x22])]
]

const undocumented: ReadonlyArray<readonly [number, Readonly<Record<string, string>>]> = [
  [201, {}],
  [204, {}],
  [301, { location: "/elsewhere" }],
  [302, { location: "/elsewhere" }],
  [303, { location: "/elsewhere" }],
  [307, { location: "/elsewhere" }],
  [308, { location: "/elsewhere" }],
  [408, {}],
  [409, {}],
  [413, {}],
  [418, {}],
  [429, {}],
  [429, { "retry-after": "7" }],
  [502, {}],
  [503, {}],
  [503, { "retry-after": "3" }],
  [504, {}]
]

/** What is undocumented for some operations and documented for others. */
const elsewhere = (name: OperationName) =>
  [200, 202, 400, 401, 402, 403, 404, 500].filter(
    (status) => status !== contract[name].successStatus && !contract[name].errors.includes(status)
  )

describe.for(transports)("over %s", ([, transport]) => {
  describe.for(operationNames)("%s", (name) => {
    const { call, errors, success, successStatus } = contract[name]

    it.live(
      "succeeds with what the documented success says, and ignores fields it does not know",
      () =>
        serving({ transport }, (service, server) =>
          Effect.gen(function* () {
            server.respondWith(reply(successStatus, { ...success, undocumented: { deep: [1] } }))
            expect(yield* call(service)).toEqual(success)
          })
        )
    )

    it.live.each(errors)("fails with the class of the documented status %i", (status) =>
      serving({ transport }, (service, server) =>
        Effect.gen(function* () {
          for (const inBody of [status, 0, 200]) {
            server.respondWith(reply(status, errorBody(inBody)))
            const error = yield* Effect.flip(call(service))
            expect(error).toMatchObject({
              _tag: errorTags[status],
              status,
              error: { status: inBody, title: "A title", detail: "A detail" }
            })
          }
        })
      )
    )

    it.live.each([successStatus, ...errors])(
      "fails with InvalidResponse where the body of %i is not the documented one",
      (status) =>
        serving({ transport }, (service, server) =>
          Effect.gen(function* () {
            for (const [what, body] of wrongShapes) {
              server.respondWith(reply(status, body))
              const error = yield* Effect.flip(call(service))
              expect(error, what).toMatchObject({ _tag: "InvalidResponse", status })
            }
            const swapped = status === successStatus ? errorBody(status) : success
            server.respondWith(reply(status, swapped))
            expect(yield* Effect.flip(call(service))).toMatchObject({
              _tag: "InvalidResponse",
              status
            })
          })
        )
    )

    it.live.each(undocumented)(
      "fails with UndocumentedStatus at %i %o, whatever the body, and follows no redirect",
      ([status, headers]) =>
        serving({ transport }, (service, server) =>
          Effect.gen(function* () {
            for (const body of [html, "", errorBody(status), success]) {
              server.respondWith(reply(status, status === 204 ? "" : body, headers))
              const error = yield* Effect.flip(call(service))
              expect(error).toMatchObject({
                _tag: "UndocumentedStatus",
                status,
                ...("retry-after" in headers
                  ? { retryAfterSeconds: Number(headers["retry-after"]) }
                  : {})
              })
              expect("retryAfterSeconds" in error).toBe("retry-after" in headers)
              expect(server.received).toHaveLength(1)
            }
          })
        )
    )

    it.live.each(elsewhere(name))(
      "fails with UndocumentedStatus at %i, documented elsewhere",
      (status) =>
        serving({ transport }, (service, server) =>
          Effect.gen(function* () {
            for (const body of [errorBody(status), success]) {
              server.respondWith(reply(status, body))
              const error = yield* Effect.flip(call(service))
              expect(error).toMatchObject({ _tag: "UndocumentedStatus", status })
            }
          })
        )
    )

    it.live(
      "reads what is labelled as another content type, as long as it is the documented JSON",
      () =>
        serving({ transport }, (service, server) =>
          Effect.gen(function* () {
            server.respondWith(reply(successStatus, success, { "content-type": "text/html" }))
            expect(yield* call(service)).toEqual(success)
          })
        )
    )
  })
})

describe("sendOutcome", () => {
  const outcomeOf = (status: number, body: unknown) =>
    serving({}, (service, server) =>
      Effect.suspend(() => {
        server.respondWith(reply(status, body))
        return service.sendSms({ recipient, message: text })
      }).pipe(Effect.flip, Effect.map(sendOutcome))
    )

  it.live.each([400, 401, 402, 403, 404])('is "not-sent" for the documented %i', (status) =>
    Effect.gen(function* () {
      expect(yield* outcomeOf(status, errorBody(status))).toBe("not-sent")
    })
  )

  it.live('is "not-sent" for 429', () =>
    Effect.gen(function* () {
      expect(yield* outcomeOf(429, "")).toBe("not-sent")
    })
  )

  it.live.each([400, 401, 402, 403, 404, 500])(
    'is "unknown" for %i with an unreadable body',
    (status) =>
      Effect.gen(function* () {
        expect(yield* outcomeOf(status, html)).toBe("unknown")
      })
  )

  it.live.each([200, 201, 204, 302, 307, 408, 409, 413, 418, 500, 502, 503, 504])(
    'is "unknown" for %i',
    (status) =>
      Effect.gen(function* () {
        expect(yield* outcomeOf(status, status === 204 ? "" : errorBody(status))).toBe("unknown")
      })
  )

  it.live.each(wrongShapes)('is "sent" for 202 with %s as its body', ([, body]) =>
    Effect.gen(function* () {
      expect(yield* outcomeOf(202, body)).toBe("sent")
    })
  )
})

/** Each statement of §2 and §4, on the wire: the documented fields in, the documented fields out. */
describe("the description", () => {
  const sectionsOf = {
    sendSms: [requirement("4.1-success"), requirement("2.2-fields"), requirement("4.1-errors")],
    getSmsStatus: [
      requirement("4.2-success"),
      requirement("2.3-fields"),
      requirement("4.2-errors")
    ],
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
  }

  /** Every object with one of its fields taken out, at any depth. */
  const withoutOneField = (value: unknown): ReadonlyArray<unknown> => {
    if (Array.isArray(value)) {
      return value.flatMap((item, index) =>
        withoutOneField(item).map((less) => value.with(index, less))
      )
    }
    if (typeof value !== "object" || value === null) return []
    return Object.entries(value).flatMap(([key, field]) => [
      Object.fromEntries(Object.entries(value).filter(([other]) => other !== key)),
      ...withoutOneField(field).map((less) => ({ ...value, [key]: less }))
    ])
  }

  describe.for(operationNames)("%s", (name) => {
    const { call, errors, success, successStatus } = contract[name]
    const [successTitle, fieldsTitle, errorsTitle] = sectionsOf[name]

    it.live(`${successTitle}`, () =>
      serving({}, (service, server) =>
        Effect.gen(function* () {
          server.respondWith(reply(successStatus, success))
          expect(yield* call(service)).toEqual(success)
        })
      )
    )

    it.live(`${fieldsTitle}: each is required`, () =>
      serving({}, (service, server) =>
        Effect.gen(function* () {
          const incomplete = withoutOneField(success)
          expect(incomplete.length).toBeGreaterThan(3)
          for (const body of incomplete) {
            server.respondWith(reply(successStatus, body))
            expect(yield* Effect.flip(call(service))).toMatchObject({ _tag: "InvalidResponse" })
          }
        })
      )
    )

    it.live(`${errorsTitle}`, () =>
      serving({}, (service, server) =>
        Effect.gen(function* () {
          const typed: Array<number> = []
          for (const status of [400, 401, 402, 403, 404, 500]) {
            server.respondWith(reply(status, errorBody(status)))
            const { _tag } = yield* Effect.flip(call(service))
            if (_tag === errorTags[status]) typed.push(status)
            else expect(_tag).toBe("UndocumentedStatus")
          }
          expect(typed).toEqual(errors)
        })
      )
    )
  })

  it.live(requirement("2.7-fields"), () =>
    serving({}, (service, server) =>
      Effect.gen(function* () {
        for (const body of [
          ...withoutOneField(errorBody(400)),
          { ...errorBody(400), success: true }
        ]) {
          server.respondWith(reply(400, body))
          expect(yield* Effect.flip(service.getSmsStatus("m-1"))).toMatchObject({
            _tag: "InvalidResponse",
            status: 400
          })
        }
      })
    )
  )

  it.live(requirement("7-status"), () =>
    serving({}, (service, server) =>
      Effect.gen(function* () {
        server.respondWith(reply(400, errorBody(404)))
        expect(yield* Effect.flip(service.getSmsStatus("m-1"))).toMatchObject({
          _tag: "InvalidRequest",
          status: 400
        })
      })
    )
  )

  it.live(requirement("7-titles"), () =>
    serving({}, (service, server) =>
      Effect.gen(function* () {
        server.respondWith(reply(404, errorBody(404)))
        const error = yield* Effect.flip(service.getSmsStatus("m-1"))
        if (error._tag !== "NotFound") throw error
        expect(error.error).toEqual({ status: 404, title: "A title", detail: "A detail" })
      })
    )
  )

  it.live(requirement("3-statuses"), () =>
    serving({}, (service, server) =>
      Effect.gen(function* () {
        const data = ["", "DELIVERED", "delivered", "не доставлено"].map((status) => ({
          recipient,
          message_id: "m-1",
          status
        }))
        server.respondWith(reply(202, { success: true, status: 202, message: "", data }))
        const sent = yield* service.sendSms({ recipient, message: text })
        expect(sent.data).toEqual(data)
      })
    )
  )

  it.live(requirement("2.8-formats"), () =>
    serving({}, (service, server) =>
      Effect.gen(function* () {
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
  )
})
