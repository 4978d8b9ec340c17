import { beforeEach, describe, expect, layer } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Page } from "playwright-core"
import { reply, responseServer } from "../support/ResponseServer.ts"
import { noBrowser, pageWith } from "../support/Browser.ts"
import type { PageCall } from "../support/BrowserPage.ts"
import { bundle } from "../support/Bundle.ts"
import { recipient } from "../support/Contract.ts"

if (noBrowser !== undefined) console.warn(`The browser tests are skipped: ${noBrowser}`)

class BrowserPage extends Context.Service<BrowserPage, Effect.Effect<Page>>()("BrowserPage") {
  static readonly layer = Layer.effect(
    BrowserPage,
    noBrowser === undefined
      ? bundle('import "./test/support/BrowserPage.ts"').pipe(
          Effect.flatMap(({ code }) => pageWith(code)),
          Effect.map(Effect.succeed)
        )
      : Effect.succeed(Effect.die(noBrowser))
  )
}

const services = Layer.merge(BrowserPage.layer, Sandbox.layer())

type Use = (
  call: (operation: PageCall["operation"], value: string) => Effect.Effect<unknown>,
  sandbox: Sandbox["Service"],
  page: Page
) => Effect.Effect<void>

/** One client in the page, and a new sandbox. */
const inPage = Effect.fnUntraced(function* (client: PageCall["client"], use: Use) {
  const page = yield* Effect.flatten(BrowserPage)
  const sandbox = yield* Sandbox
  yield* sandbox.reset
  const { baseUrl } = sandbox
  const token = Redacted.value(sandbox.token)
  const call = (operation: PageCall["operation"], value: string) =>
    Effect.promise(() =>
      page.evaluate((input) => globalThis.messagingTopupPage.call(input), {
        client,
        operation,
        value,
        baseUrl,
        token
      })
    )
  yield* use(call, sandbox, page)
})

/** A browser sends a preflight first, unless it cached the response to an earlier one. */
const postReceived = (sandbox: Sandbox["Service"]) =>
  Effect.gen(function* () {
    yield* sandbox.until(({ requests }) => requests.some(({ method }) => method === "POST"))
  })

const clients = ["promise", "effect"] as const

layer(services, { excludeTestServices: true, timeout: "60 seconds" })("in a browser", (it) => {
  beforeEach((context) => context.skip(noBrowser !== undefined, noBrowser))

  describe.for(clients)("the %s client", (client) => {
    it.effect("sends an SMS to a service of another origin", () =>
      inPage(client, (call, sandbox) =>
        Effect.gen(function* () {
          expect(yield* call("send", recipient)).toMatchObject({
            success: { success: true, status: 202, data: [{ recipient }] }
          })
          expect(yield* sandbox.messages()).toMatchObject([{ recipient }])
        })
      )
    )

    it.effect("reads the status of an SMS", () =>
      inPage(client, (call, sandbox) =>
        Effect.gen(function* () {
          yield* call("send", recipient)
          const [sms] = yield* sandbox.messages()
          expect(yield* call("read", sms?.message_id ?? "")).toMatchObject({
            success: { status: 200, data: [{ message_id: sms?.message_id, recipient }] }
          })
        })
      )
    )

    it.effect("returns a documented error and its outcome", () =>
      inPage(client, (call, sandbox) =>
        Effect.gen(function* () {
          expect(yield* call("send", "+15550000402")).toMatchObject({
            failure: { _tag: "PaymentRequired", status: 402 },
            outcome: "not-sent"
          })
          expect(yield* call("send", "+15550000500")).toMatchObject({
            failure: { _tag: "InternalServerError", status: 500 },
            outcome: "unknown"
          })
          expect(yield* sandbox.messages()).toEqual([])
        })
      )
    )

    it.effect("reports that an accepted SMS was sent, even if the response is unreadable", () =>
      inPage(client, (call, sandbox) =>
        Effect.gen(function* () {
          for (const fault of [{ fault: "TruncatedJson" }, { fault: "BodyCutOff" }] as const) {
            yield* sandbox.reset
            yield* sandbox.setFault(fault)
            expect(yield* call("send", recipient)).toMatchObject({
              failure: { status: 202 },
              outcome: "sent"
            })
            expect(yield* sandbox.messages()).toHaveLength(1)
          }
        })
      )
    )

    for (const status of [301, 302, 303, 307, 308]) {
      it.effect(`follows no redirect of status ${status}, which a browser does not show`, () =>
        inPage(client, (call, sandbox) =>
          Effect.gen(function* () {
            const target = yield* responseServer
            target.respondWith(reply(202, "", { "access-control-allow-origin": "*" }))
            const location = `${target.baseUrl}/sms/send`
            yield* sandbox.setFault({ fault: "Redirect", status, location })
            expect(yield* call("send", recipient)).toMatchObject({
              failure: { _tag: "UndocumentedStatus", status: 0 },
              outcome: "unknown"
            })
            expect(yield* call("read", "m-1")).toMatchObject({
              failure: { _tag: "UndocumentedStatus", status: 0 }
            })
            expect(target.received).toEqual([])
          }).pipe(Effect.scoped)
        )
      )
    }

    it.effect("cannot tell whether an SMS went out if the connection broke", () =>
      inPage(client, (call, sandbox) =>
        Effect.gen(function* () {
          yield* sandbox.setFault({ fault: "ResetAfterAcceptance" })
          expect(yield* call("send", recipient)).toMatchObject({
            failure: { _tag: "ConnectionLost" },
            outcome: "unknown"
          })
          expect(yield* sandbox.messages()).not.toEqual([])
        })
      )
    )

    // RFC 9110 §9.2.2 does not allow this for a POST, but a page cannot prevent it: on a
    // reused connection, Chromium takes both as signs that the server had closed it.
    for (const [what, fault, accepted] of [
      ["a reset", { fault: "ResetAfterAcceptance" }, 3],
      ["HTTP 408", { fault: "Response", status: 408, body: "" }, 2]
    ] as const) {
      it.effect(`cannot stop Chromium from resending a send after ${what}`, () =>
        inPage(client, (call, sandbox) =>
          Effect.gen(function* () {
            yield* call("send", recipient)
            yield* sandbox.setFault({ ...fault, times: 1 })
            expect(yield* call("send", recipient)).toHaveProperty("success")
            const requests = yield* sandbox.requests()
            expect(requests.filter(({ method }) => method === "POST")).toHaveLength(3)
            expect(yield* sandbox.messages()).toHaveLength(accepted)
          })
        )
      )
    }

    it.effect(
      "cannot tell a refused connection from a lost one, because a browser gives no reason",
      () =>
        inPage(client, (call, sandbox) =>
          Effect.gen(function* () {
            yield* sandbox.setFault({ fault: "ConnectionRefused" })
            expect(yield* call("send", recipient)).toMatchObject({
              failure: { _tag: "ConnectionLost" },
              outcome: "unknown"
            })
            expect(yield* sandbox.requests()).toEqual([])
          })
        )
    )

    it.effect("aborts the request if the signal aborts, and the service notices", () =>
      inPage(client, (call, sandbox, page) =>
        Effect.gen(function* () {
          yield* sandbox.setFault({ fault: "NoResponse" })
          const calling = yield* Effect.forkChild(call("send", recipient))
          yield* postReceived(sandbox)
          yield* Effect.promise(() => page.evaluate(() => globalThis.messagingTopupPage.abort()))
          const { requests } = yield* sandbox.until((kept) =>
            kept.requests.some(({ disconnected }) => disconnected)
          )
          expect(requests[0]).toMatchObject({ method: "POST", path: "/sms/send" })
          expect(yield* Fiber.join(calling)).toEqual(
            client === "promise"
              ? {
                  failure: expect.objectContaining({
                    _tag: "Aborted",
                    name: "AbortError",
                    started: true
                  }),
                  outcome: "unknown"
                }
              : "interrupted"
          )
        })
      )
    )
  })

  for (const entry of ["", "/api", "/openapi", "/phone", "/promise"]) {
    it.effect(`the entry @messaging-topup/core${entry} loads`, () =>
      Effect.gen(function* () {
        const page = yield* Effect.flatten(BrowserPage)
        const { code } = yield* bundle(`export * from "@messaging-topup/core${entry}"`)
        const blob = `new Blob([${JSON.stringify(code)}], { type: "text/javascript" })`
        const loading = page.evaluate(`import(URL.createObjectURL(${blob})).then(Object.keys)`)
        expect(yield* Effect.promise(() => loading)).not.toEqual([])
      })
    )
  }
})
