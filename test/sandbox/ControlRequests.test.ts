import { describe, expect, it } from "@effect/vitest"
import { forcedOutcomes, Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { call, open, raw, send, sms } from "./support/Client.ts"
import { ask, lastRequest, messagePage, problem, requestPage, setFault } from "./support/Control.ts"
import { sandboxTest } from "./support/SandboxTest.ts"

describe("GET /_sandbox/requests", () => {
  sandboxTest(
    "lists a send: method, path, body, status and message id",
    Effect.gen(function* () {
      yield* call("/sms/send?a=%20b", { method: "POST", body: JSON.stringify(sms) })
      const { messages } = yield* messagePage()
      expect(yield* requestPage()).toEqual({
        requests: [
          {
            id: 1,
            time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
            method: "POST",
            path: "/sms/send?a=%20b",
            body: JSON.stringify(sms),
            status: 202,
            message_id: messages[0]?.message_id,
            disconnected: false,
            milliseconds: expect.any(Number)
          }
        ],
        kept: 1,
        received: 1
      })
    })
  )

  const refusals = [
    ["an unknown message", call("/sms/nope"), 404, "No message was found with the id nope"],
    ["a wrong token", call("/sms/x", { headers: {} }), 401, "The bearer token is missing"],
    ["a missing field", send({ message: "x" }), 400, "recipient: Missing key"],
    ["an empty recipient", send({ ...sms, recipient: "" }), 400, "recipient: it is empty"],
    ["an unknown path", call("/nope"), 404, "no such endpoint"],
    [
      "another content type",
      call("/sms/send", { method: "POST", body: "x" }),
      400,
      "Expected a valid JSON body"
    ],
    ["a body that is too large", send({ ...sms, message: "x".repeat(2 ** 20) }), 413, "1 MiB"]
  ] as const
  for (const [what, request, status, refusal] of refusals) {
    sandboxTest(
      `says why a request was refused: ${what}`,
      Effect.gen(function* () {
        yield* request
        expect(yield* lastRequest).toMatchObject({
          status,
          refusal: expect.stringContaining(refusal)
        })
        expect(yield* lastRequest).not.toHaveProperty("message_id")
      })
    )
  }

  sandboxTest(
    "repeats only the beginning of a long id",
    Effect.gen(function* () {
      const id = "x".repeat(12_000)
      yield* call(`/sms/${id}`)
      const request = yield* lastRequest
      expect(request?.path).toBe(`/sms/${id}`)
      expect(request?.refusal).toMatch(/^No message was found with the id x{100,}$/)
      expect(request?.refusal?.length).toBeLessThanOrEqual(500)
    })
  )

  for (const { accepted, suffix } of forcedOutcomes.filter(({ _tag }) => _tag !== "Delay")) {
    sandboxTest(
      `names the forced outcome ${suffix}`,
      Effect.gen(function* () {
        const body = JSON.stringify({ ...sms, recipient: `+1555000${suffix}` })
        const response = yield* Effect.option(open("/sms/send", { method: "POST", body }))
        if (response._tag === "Some")
          yield* Effect.promise(() => response.value.body?.cancel() ?? Promise.resolve())
        const request = yield* lastRequest
        expect(request?.fault).toBe(suffix)
        expect(request?.status).toBe(response._tag === "Some" ? response.value.status : undefined)
        expect(request?.message_id !== undefined).toBe(accepted)
      })
    )
  }

  const faults = [
    [{ fault: "Response", status: 503, body: "" }, 503, false],
    [{ fault: "Redirect", status: 307, location: "/" }, 307, false],
    [{ fault: "ResetBeforeAcceptance" }, undefined, false],
    [{ fault: "ResetAfterAcceptance" }, undefined, true],
    [{ fault: "BodyCutOff" }, 202, true]
  ] as const
  for (const [fault, status, accepted] of faults) {
    sandboxTest(
      `names the fault ${fault.fault}`,
      Effect.gen(function* () {
        const sandbox = yield* Sandbox
        yield* sandbox.setFault({ ...fault, times: 1 })
        yield* Effect.exit(send())
        const request = yield* lastRequest
        expect([request?.fault, request?.status]).toEqual([fault.fault, status])
        expect(request?.message_id !== undefined).toBe(accepted)
        expect(request).not.toHaveProperty("refusal")
      })
    )
  }

  sandboxTest(
    "lists requests of disconnected clients, and requests in flight",
    Effect.gen(function* () {
      const { until } = yield* Sandbox
      yield* setFault({ fault: "NoResponse" })
      const fiber = yield* Effect.forkChild(send())
      yield* until(({ requests }) => requests.length >= 1)
      expect(yield* lastRequest).toMatchObject({ fault: "NoResponse", disconnected: false })
      expect(yield* lastRequest).not.toHaveProperty("milliseconds")
      fiber.interruptUnsafe()
      yield* until(({ requests }) => requests.some(({ disconnected }) => disconnected))
      expect(yield* lastRequest).toMatchObject({
        disconnected: true,
        milliseconds: expect.any(Number)
      })
      expect(yield* lastRequest).not.toHaveProperty("status")
    })
  )

  sandboxTest(
    "lists the newest first, in pages",
    Effect.gen(function* () {
      for (const path of ["/a", "/b", "/c"]) yield* call(path)
      const first = yield* requestPage("?limit=2")
      const second = yield* requestPage(`?limit=2&before=${first.next}`)
      expect([first, second].map(({ requests }) => requests.map(({ path }) => path))).toEqual([
        ["/c", "/b"],
        ["/a"]
      ])
      expect(problem(yield* ask("/requests?limit=1e9"))).toMatchObject({ status: 400 })
      expect(problem(yield* ask("/requests?text=x"))).toMatchObject({
        status: 400,
        detail: expect.stringContaining("text: ")
      })
    })
  )

  sandboxTest(
    "shows the first 64 KiB of a body",
    Effect.gen(function* () {
      yield* send({ ...sms, message: "x".repeat(100_000) })
      expect((yield* lastRequest)?.body).toHaveLength(64 * 1024)
    })
  )

  const tokens = [`sandbox-token-16`, `a/b+c="d"=e+f/g=h`]
  for (const token of tokens) {
    it.live(`never shows the token or a header: ${token}`, () =>
      Effect.gen(function* () {
        yield* call(`/sms/${token}?t=${token}`)
        yield* call(`/sms/${encodeURIComponent(token)}`)
        yield* send({ ...sms, message: `token: ${token}` })
        yield* call("/sms/send", { method: "POST", body: `${"x".repeat(65_530)}${token}` })
        const spelled = encodeURIComponent(token)
        yield* call("/sms/send", { method: "POST", body: `{"recipient":"${spelled}"}` })
        const { body } = yield* ask("/requests")
        const shown: ReadonlyArray<{ path: string; body: string; refusal?: string }> =
          JSON.parse(body).requests
        expect(shown).toHaveLength(5)
        for (const request of shown) {
          for (const text of [request.path, request.body, request.refusal ?? ""]) {
            expect(text).not.toContain(token)
            expect(text).not.toContain(JSON.stringify(token).slice(1, -1))
            expect(text).not.toContain(encodeURIComponent(token))
          }
          expect(Object.keys(request)).not.toContain("headers")
        }
        expect(shown[1]?.body.slice(65_530)).toBe("<token")
        expect(shown[2]?.body).toContain("token: <token>")
        expect(shown[4]?.path).toBe("/sms/<token>?t=<token>")

        expect(body.toLowerCase()).not.toContain("authorization")
      }).pipe(Effect.provide(Sandbox.layer({ token: Redacted.make(token) })))
    )
  }

  it.live("shows requests unchanged if the token is too short to be a secret", () =>
    Effect.gen(function* () {
      yield* send({ ...sms, message: "sms" })
      expect(yield* lastRequest).toMatchObject({
        path: "/sms/send",
        body: JSON.stringify({ ...sms, message: "sms" })
      })
    }).pipe(Effect.provide(Sandbox.layer({ token: Redacted.make("sms") })))
  )

  sandboxTest(
    "shows a path with unusual bytes unchanged",
    Effect.gen(function* () {
      yield* raw("GET /sms/%00%1b%zz?<b> HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      expect((yield* lastRequest)?.path).toBe("/sms/%00%1b%zz?<b>")
    })
  )
})

describe("DELETE /_sandbox/requests", () => {
  sandboxTest(
    "deletes the requests but no messages; the count restarts, but the ids do not",
    Effect.gen(function* () {
      const { messages, requests, until } = yield* Sandbox
      yield* send()
      const response = yield* ask("/requests", { method: "DELETE" })
      expect([response.status, response.body]).toEqual([204, ""])
      expect(yield* requestPage()).toEqual({ requests: [], kept: 0, received: 0 })
      expect(yield* requests()).toEqual([])
      expect(yield* messages()).toHaveLength(1)
      yield* call("/again")
      expect((yield* until((kept) => kept.requests.length >= 1)).requests).toHaveLength(1)
      expect(yield* requestPage()).toMatchObject({ requests: [{ id: 2 }], received: 1 })
    })
  )
})

describe("a request to the control endpoints", () => {
  sandboxTest(
    "is neither listed nor counted",
    Effect.gen(function* () {
      const { requests, until } = yield* Sandbox
      for (const path of [
        "/",
        "/?tab=1",
        "/healthz",
        "/openapi.json",
        "/_sandbox",
        "/_sandbox/nope",
        "/_sandbox/messages",
        "/_sandbox/fault"
      ]) {
        yield* call(path)
      }
      expect(yield* requests()).toEqual([])
      yield* send()
      expect((yield* until((kept) => kept.requests.length >= 1)).requests).toHaveLength(1)
      expect((yield* requestPage()).received).toBe(1)
    })
  )

  sandboxTest(
    "gets no fault, and does not count for one",
    Effect.gen(function* () {
      yield* setFault({ fault: "ResetBeforeAcceptance", times: 1 })
      for (const path of ["/healthz", "/openapi.json", "/_sandbox/messages", "/_sandbox/fault"]) {
        expect((yield* call(path)).status).toBe(200)
      }
      expect((yield* Effect.flip(send())).code).toBe("ECONNRESET")
      expect((yield* send()).status).toBe(202)
    })
  )

  sandboxTest(
    "needs the exact path",
    Effect.gen(function* () {
      const { requests } = yield* Sandbox
      const paths = [
        "/x/../_sandbox/messages",
        "//_sandbox/messages",
        "/%5Fsandbox/messages",
        "/_sandboxes",
        "http://localhost/_sandbox/messages"
      ]
      for (const path of paths) {
        const { text } = yield* raw(
          `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
        )
        expect(text).toMatch(/^HTTP\/1.1 404 /)
      }
      expect((yield* requests()).map(({ path }) => path)).toEqual(paths.toReversed())
    })
  )
})
