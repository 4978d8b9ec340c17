import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { bodyOf, call, raw, send } from "./support/Client.ts"
import { ask, currentFault, problem } from "./support/Control.ts"
import { sandboxTest } from "./support/SandboxTest.ts"

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

/** The response to a minimal request with these header lines. */
const bare = Effect.fnUntraced(function* (line: string, headers: ReadonlyArray<string>) {
  const head = [`${line} HTTP/1.1`, ...headers, "Connection: close", "", ""].join("\r\n")
  const { text } = yield* raw(head)
  return { status: Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1]), text, body: bodyOf(text) }
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
    expect([line, refused.status]).toEqual([line, status])
    expect(JSON.parse(refused.body)).toMatchObject({
      success: false,
      error: { status, detail: expect.stringContaining(detail) }
    })
    expect(refused.text.toLowerCase()).not.toContain("access-control")
  }
  expect(yield* messages()).toHaveLength(length)
})

describe("a sandbox on loopback", () => {
  sandboxTest(
    "accepts every name of this machine, without a token",
    Effect.gen(function* () {
      for (const host of [
        "localhost",
        "LOCALHOST:8080",
        "127.0.0.1:1",
        "127.1.2.3",
        "[::1]:8080"
      ]) {
        for (const line of ["GET /", "GET /_sandbox/messages"]) {
          expect((yield* bare(line, [`Host: ${host}`])).status).toBe(200)
        }
      }
    })
  )

  const rebound = [
    "evil.example:8080",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "127.evil.example",
    "localhost@evil.example",
    "0.0.0.0",
    "192.168.0.1",
    "[::2]",
    "::1",
    ""
  ]
  for (const host of rebound) {
    sandboxTest(
      `refuses the Host ${JSON.stringify(host)} everywhere but on its open endpoints`,
      Effect.gen(function* () {
        yield* send()
        yield* expectRefused(guarded, [`Host: ${host}`], 403, "Host")
        for (const line of open) expect((yield* bare(line, [`Host: ${host}`])).status).toBe(200)
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

  const foreign = [
    "Origin: https://evil.example",
    "Origin: http://localhost:3000",
    "Origin: http://localhost",
    "Origin: null",
    "Origin: ",
    "Sec-Fetch-Site: cross-site",
    "Sec-Fetch-Site: same-site"
  ]
  for (const header of foreign) {
    sandboxTest(
      `refuses a page with ${header}`,
      Effect.gen(function* () {
        yield* send()
        yield* expectRefused(guarded, ["Host: localhost:8080", header], 403, "Origin")
      })
    )
  }

  const link = [
    "Sec-Fetch-Site: cross-site",
    "Sec-Fetch-Mode: navigate",
    "Sec-Fetch-Dest: document"
  ]

  sandboxTest(
    "lets a person follow a link from another site to the page, and to nothing else",
    Effect.gen(function* () {
      yield* send()
      const headers = ["Host: localhost:8080", ...link]
      expect((yield* bare("GET /?view=requests", headers)).status).toBe(200)
      yield* expectRefused(control, headers, 403, "Origin")
      const frame = ["Host: localhost:8080", ...link.slice(0, 2), "Sec-Fetch-Dest: iframe"]
      yield* expectRefused(["GET /"], frame, 403, "Origin")
    })
  )

  sandboxTest(
    "accepts its own page",
    Effect.gen(function* () {
      for (const header of [
        "Origin: http://localhost:8080",
        "Sec-Fetch-Site: same-origin",
        "Sec-Fetch-Site: none"
      ]) {
        const headers = ["Host: localhost:8080", header]
        expect((yield* bare("GET /_sandbox/messages", headers)).status).toBe(200)
      }
    })
  )

  sandboxTest(
    "sends CORS headers only for the five endpoints",
    Effect.gen(function* () {
      for (const path of ["/", "/healthz", "/openapi.json", "/_sandbox/messages", "/_sandbox/x"]) {
        const { headers } = yield* call(path)
        expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([])
      }
      expect((yield* send()).headers.get("access-control-allow-origin")).toBe("*")
    })
  )

  sandboxTest(
    "accepts a body as application/json only",
    Effect.gen(function* () {
      const body = new TextEncoder().encode('{"fault":"NoResponse"}')
      const put = (type: string) =>
        ask("/fault", { method: "PUT", headers: type === "" ? {} : { "content-type": type }, body })
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonx",
        ""
      ]) {
        expect(problem(yield* put(type))).toMatchObject({
          status: 415,
          detail: "content-type: send the body as application/json"
        })
      }
      expect(yield* currentFault).toBeNull()
      expect((yield* put("Application/JSON; charset=utf-8")).status).toBe(200)
    })
  )

  sandboxTest(
    "responds with 404 to an unknown control endpoint, and to HEAD like to GET",
    Effect.gen(function* () {
      expect(problem(yield* ask("/nope"))).toMatchObject({
        status: 404,
        detail: expect.stringContaining("GET /openapi.json")
      })
      const head = yield* ask("/messages", { method: "HEAD" })
      expect([head.status, head.body]).toEqual([200, ""])
    })
  )
})

describe("a sandbox that other machines can reach", () => {
  const token = "network:token"
  const basic = (password: string) => `Authorization: Basic ${btoa(`any:${password}`)}`
  const exposed = Effect.provide(Sandbox.layer({ host: "0.0.0.0", token: Redacted.make(token) }))

  const wrong: ReadonlyArray<ReadonlyArray<string>> = [
    [],
    [`Authorization: Bearer ${token}x`],
    [`Authorization: Basic ${token}`],
    [basic(""), "Host: localhost"],
    [`Authorization: ${token}`],
    [`Cookie: token=${token}`]
  ]
  for (const headers of wrong) {
    it.live(`responds with 401 to [${headers.join()}]`, () =>
      Effect.gen(function* () {
        const all = guarded.map((line) => `${line}?token=${token}`)
        yield* expectRefused(all, ["Host: localhost", ...headers], 401, "bearer token")
        const page = yield* bare("GET /", ["Host: localhost", ...headers])
        expect(page.text).toMatch(/www-authenticate: Basic realm="Sandbox"/i)
        expect(page.text).not.toContain(token)
      }).pipe(exposed)
    )
  }

  it.live("accepts the token with any Host, as bearer token or as password", () =>
    Effect.gen(function* () {
      for (const given of [`Authorization: bearer ${token}`, basic(token)]) {
        for (const line of ["GET /", "GET /_sandbox/messages"]) {
          expect((yield* bare(line, ["Host: sandbox.internal:8080", given])).status).toBe(200)
        }
      }
    }).pipe(exposed)
  )

  it.live("refuses foreign pages and forms there, too: a browser attaches the password", () =>
    Effect.gen(function* () {
      const host = "Host: sandbox.internal:8080"
      const foreign = [host, basic(token), "Origin: https://evil.example"]
      yield* expectRefused(guarded, foreign, 403, "Origin")
      const form = yield* ask("/fault", {
        method: "PUT",
        headers: { authorization: `Bearer ${token}`, "content-type": "text/plain" },
        body: "{}"
      })
      expect(form.status).toBe(415)
    }).pipe(exposed)
  )

  it.live("needs no token for its health and its contract", () =>
    Effect.gen(function* () {
      for (const line of open) {
        expect((yield* bare(line, ["Host: sandbox.internal"])).status).toBe(200)
      }
    }).pipe(exposed)
  )
})
