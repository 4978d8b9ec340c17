/** Who may use the page and the control endpoints. */
import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { bare, call, raw, send } from "../harness/sandbox/Client.ts"
import { ask, currentFault, expectProblem } from "../harness/sandbox/Control.ts"
import { sandboxTest } from "../harness/sandbox/SandboxTest.ts"

const control = [
  "GET /_sandbox/messages",
  "POST /_sandbox/messages/x/status",
  "GET /_sandbox/requests",
  "GET /_sandbox/fault",
  "PUT /_sandbox/fault",
  "DELETE /_sandbox/fault",
  "DELETE /_sandbox",
  "GET /_sandbox/changes",
  "POST /_sandbox/send",
  "OPTIONS /_sandbox/fault",
  "GET /_sandbox/nope"
]

const guarded = ["GET /", "GET /?id=x", ...control]

const open = ["GET /healthz", "GET /openapi.json"]

const readable = ["GET /", "GET /_sandbox/messages"]

const expectAccepted = Effect.fnUntraced(function* (
  lines: ReadonlyArray<string>,
  headers: ReadonlyArray<string>
) {
  for (const line of lines) {
    expect([line, headers, (yield* bare(line, headers)).status]).toEqual([line, headers, 200])
  }
})

/** Expects that each of these is refused, and that nothing has changed. */
const expectRefused = Effect.fnUntraced(function* (
  lines: ReadonlyArray<string>,
  headers: ReadonlyArray<string>,
  status: number,
  detail: string
) {
  const { messages } = yield* Sandbox
  const { length } = yield* messages()
  for (const line of lines) {
    const refused = yield* bare(line, headers)
    expectProblem({ ...refused, headers: new Headers() }, status, detail)
    expect(refused.text.toLowerCase()).not.toContain("access-control")
  }
  expect(yield* messages()).toHaveLength(length)
})

describe("a sandbox on loopback", () => {
  const here = "Host: localhost:8080"
  const link = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"]
  const document = [...link, "Sec-Fetch-Dest: document"]

  sandboxTest(
    "accepts every name of this machine and its own page, without a token",
    Effect.gen(function* () {
      for (const headers of [
        ["Host: localhost"],
        ["Host: LOCALHOST:8080"],
        ["Host: 127.0.0.1:1"],
        ["Host: 127.1.2.3"],
        ["Host: [::1]:8080"],
        [here, "Origin: http://localhost:8080"],
        [here, "Sec-Fetch-Site: same-origin"],
        [here, "Sec-Fetch-Site: none"]
      ]) {
        yield* expectAccepted(readable, headers)
      }
    })
  )

  const foreign = [
    ["Host", ["Host: evil.example:8080"]],
    ["Host", ["Host: localhost.evil.example"]],
    ["Host", ["Host: 127.0.0.1.evil.example"]],
    ["Host", ["Host: 127.evil.example"]],
    ["Host", ["Host: localhost@evil.example"]],
    ["Host", ["Host: 0.0.0.0"]],
    ["Host", ["Host: 192.168.0.1"]],
    ["Host", ["Host: [::2]"]],
    ["Host", ["Host: ::1"]],
    ["Host", ["Host: "]],
    ["Origin", [here, "Origin: https://evil.example"]],
    ["Origin", [here, "Origin: http://localhost:3000"]],
    ["Origin", [here, "Origin: http://localhost"]],
    ["Origin", [here, "Origin: null"]],
    ["Origin", [here, "Origin: "]],
    ["Origin", [here, "Sec-Fetch-Site: cross-site"]],
    ["Origin", [here, "Sec-Fetch-Site: same-site"]],
    ["Origin", [here, ...link, "Sec-Fetch-Dest: iframe"]]
  ] as const
  for (const [detail, headers] of foreign) {
    sandboxTest(
      `refuses ${headers.join(", ")}, except for its health and its contract`,
      Effect.gen(function* () {
        yield* send()
        yield* expectRefused(guarded, headers, 403, detail)
        yield* expectAccepted(open, headers)
      })
    )
  }

  sandboxTest(
    "refuses a request without a Host, and one with two",
    Effect.gen(function* () {
      const old = yield* raw("GET /_sandbox/messages HTTP/1.0\r\n\r\n")
      expect(old.text).toMatch(/^HTTP\/1.1 403 /)
      const hosts = ["Host: localhost", "Host: evil.example"]
      expect([400, 403]).toContain((yield* bare("GET /_sandbox/messages", hosts)).status)
    })
  )

  sandboxTest(
    "lets a person follow a link from another site to the page, and to nothing else",
    Effect.gen(function* () {
      yield* send()
      yield* expectAccepted(["GET /?view=requests"], [here, ...document])
      yield* expectRefused(control, [here, ...document], 403, "Origin")
    })
  )

  sandboxTest(
    "sends CORS headers only for the five endpoints",
    Effect.gen(function* () {
      for (const path of ["/", "/healthz", "/openapi.json", "/_sandbox/messages", "/_sandbox/x"]) {
        expect((yield* bare(`GET ${path}`)).text.toLowerCase()).not.toContain("access-control")
      }
      expect((yield* call("/nope")).headers.get("access-control-allow-origin")).toBe("*")
    })
  )

  sandboxTest(
    "accepts a body as application/json only",
    Effect.gen(function* () {
      const { baseUrl } = yield* Sandbox
      // Bytes: with text, fetch adds a content type.
      const body = new TextEncoder().encode('{"fault":"NoResponse"}')
      const put = (headers: Record<string, string>) =>
        Effect.promise(() => fetch(`${baseUrl}/_sandbox/fault`, { method: "PUT", headers, body }))
      for (const headers of [
        {},
        { "content-type": "text/plain" },
        { "content-type": "application/x-www-form-urlencoded" },
        { "content-type": "application/jsonx" }
      ]) {
        const refused = yield* put(headers)
        expect(refused.status).toBe(415)
        expect(yield* Effect.promise(() => refused.text())).toContain(
          "content-type: send the body as application/json"
        )
      }
      expect(yield* currentFault).toBeNull()
      expect((yield* put({ "content-type": "Application/JSON; charset=utf-8" })).status).toBe(200)
    })
  )
})

describe("a sandbox that other machines can reach", () => {
  const token = "network:token"
  const there = "Host: sandbox.internal:8080"
  const basic = (password: string) => `Authorization: Basic ${btoa(`any:${password}`)}`
  const exposed = <A, E>(name: string, body: Effect.Effect<A, E, Sandbox>) =>
    it.live(name, () =>
      Effect.provide(body, Sandbox.layer({ host: "0.0.0.0", token: Redacted.make(token) }))
    )

  const wrong: ReadonlyArray<ReadonlyArray<string>> = [
    [],
    [`Authorization: Bearer ${token}x`],
    [`Authorization: Basic ${token}`],
    [basic("")],
    [`Authorization: ${token}`],
    [`Cookie: token=${token}`]
  ]
  for (const headers of wrong) {
    exposed(
      `responds with 401 to [${headers.join()}]`,
      Effect.gen(function* () {
        const all = guarded.map((line) => `${line}?token=${token}`)
        yield* expectRefused(all, ["Host: localhost", ...headers], 401, "bearer token")
        const page = yield* bare("GET /", ["Host: localhost", ...headers])
        expect(page.text).toMatch(/www-authenticate: Basic realm="Sandbox"/i)
        expect(page.text).not.toContain(token)
      })
    )
  }

  exposed(
    "accepts the token with any Host, as bearer token or as password",
    Effect.gen(function* () {
      yield* expectAccepted(readable, [there, `Authorization: bearer ${token}`])
      yield* expectAccepted(readable, [there, basic(token)])
    })
  )

  exposed(
    "refuses foreign pages and forms there, too: a browser attaches the password",
    Effect.gen(function* () {
      const foreign = [there, basic(token), "Origin: https://evil.example"]
      yield* expectRefused(guarded, foreign, 403, "Origin")
      const headers = { authorization: `Bearer ${token}`, "content-type": "text/plain" }
      const form = yield* ask("/fault", { method: "PUT", headers, body: "{}" })
      expectProblem(form, 415, "content-type")
    })
  )

  exposed("needs no token for its health and its contract", expectAccepted(open, [there]))
})
