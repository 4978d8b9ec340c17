import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { bodyOf, call, raw, send } from "./support/Client.ts"
import { ask, problem, tell } from "./support/Control.ts"
import { sandboxTest } from "./support/SandboxTest.ts"

const endpoints = [
  "GET /_sandbox/messages",
  "DELETE /_sandbox/messages",
  "GET /_sandbox/messages/x",
  "POST /_sandbox/messages/x/status",
  "GET /_sandbox/requests",
  "DELETE /_sandbox/requests",
  "GET /_sandbox/fault",
  "PUT /_sandbox/fault",
  "DELETE /_sandbox/fault",
  "DELETE /_sandbox",
  "GET /_sandbox/token",
  "GET /_sandbox/events",
  "OPTIONS /_sandbox/fault",
  "GET /_sandbox/nope"
]

const open = ["GET /healthz", "GET /openapi.json"]

/** The response to a minimal request with these header lines. */
const bare = Effect.fnUntraced(function* (line: string, headers: ReadonlyArray<string>) {
  const head = [`${line} HTTP/1.1`, ...headers, "Connection: close", "", ""].join("\r\n")
  const { text } = yield* raw(head, (received) => received.includes("\n\n"))
  const status = Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1])
  return { status, text, body: bodyOf(text) }
})

describe("a sandbox on loopback", () => {
  for (const host of ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.1.2.3", "[::1]:8080"]) {
    sandboxTest(
      `accepts the Host ${host}, without a token`,
      Effect.gen(function* () {
        expect((yield* bare("GET /_sandbox/messages", [`Host: ${host}`])).status).toBe(200)
      })
    )
  }

  const rebound = [
    "evil.example",
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
      `refuses the Host ${JSON.stringify(host)} on every control endpoint, but on no other endpoint`,
      Effect.gen(function* () {
        for (const endpoint of endpoints) {
          const { body, status } = yield* bare(endpoint, [`Host: ${host}`])
          expect([endpoint, status]).toEqual([endpoint, 403])
          expect(JSON.parse(body)).toMatchObject({
            success: false,
            error: { status: 403, detail: expect.stringContaining("Host") }
          })
        }
        for (const endpoint of open) {
          expect((yield* bare(endpoint, [`Host: ${host}`])).status).toBe(200)
        }
      })
    )
  }

  sandboxTest(
    "refuses a request without a Host, and one with two",
    Effect.gen(function* () {
      const old = yield* raw("GET /_sandbox/messages HTTP/1.0\r\n\r\n")
      expect(old.text).toMatch(/^HTTP\/1.1 403 /)
      const hosts = ["Host: localhost", "Host: evil.example"]
      const { status } = yield* bare("GET /_sandbox/messages", hosts)
      expect([400, 403]).toContain(status)
    })
  )

  const foreign = [
    "Origin: https://evil.example",
    "Origin: http://localhost:3000",
    "Origin: https://localhost:8080",
    "Origin: http://localhost",
    "Origin: null",
    "Origin: ",
    "Sec-Fetch-Site: cross-site",
    "Sec-Fetch-Site: same-site"
  ]
  for (const header of foreign) {
    sandboxTest(
      `refuses a page with ${header} on every control endpoint`,
      Effect.gen(function* () {
        const { messages } = yield* Sandbox
        yield* send()
        for (const endpoint of endpoints) {
          const { body, status, text } = yield* bare(endpoint, ["Host: localhost:8080", header])
          expect([endpoint, status]).toEqual([endpoint, 403])
          expect(JSON.parse(body).error.detail).toContain("Origin")
          expect(text.toLowerCase()).not.toContain("access-control")
        }
        expect(yield* messages()).toHaveLength(1)
      })
    )
  }

  for (const header of [
    "Origin: http://localhost:8080",
    "Sec-Fetch-Site: same-origin",
    "Sec-Fetch-Site: none"
  ]) {
    sandboxTest(
      `accepts its own page with ${header}`,
      Effect.gen(function* () {
        const headers = ["Host: localhost:8080", header]
        expect((yield* bare("GET /_sandbox/messages", headers)).status).toBe(200)
      })
    )
  }

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

  const types = ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""]
  for (const type of types) {
    sandboxTest(
      `refuses a body of the type ${JSON.stringify(type)}`,
      Effect.gen(function* () {
        for (const [method, path] of [
          ["PUT", "/fault"],
          ["POST", "/messages/x/status"],
          ["DELETE", "/messages"]
        ] as const) {
          const body = new TextEncoder().encode(
            JSON.stringify({ fault: "NoResponse", status: "x" })
          )
          const headers = type === "" ? {} : { "content-type": type }
          const response = yield* ask(path, { method, headers, body })
          expect(problem(response)).toEqual({
            status: 415,
            bodyStatus: 415,
            success: false,
            detail: "content-type: send the body as application/json"
          })
        }
        expect(JSON.parse((yield* ask("/fault")).body)).toEqual({ fault: null })
      })
    )
  }

  sandboxTest(
    "accepts application/json with parameters",
    Effect.gen(function* () {
      const response = yield* ask("/fault", {
        method: "PUT",
        headers: { "content-type": "Application/JSON; charset=utf-8" },
        body: '{"fault":"NoResponse"}'
      })
      expect(response.status).toBe(200)
    })
  )

  sandboxTest(
    "responds with 404 to an unknown control endpoint, and to HEAD like to GET",
    Effect.gen(function* () {
      expect(problem(yield* ask("/nope"))).toEqual({
        status: 404,
        bodyStatus: 404,
        success: false,
        detail: expect.stringContaining("GET /openapi.json")
      })
      expect(problem(yield* tell("POST", "/messages", {})).status).toBe(404)
      const head = yield* ask("/messages", { method: "HEAD" })
      expect([head.status, head.body]).toEqual([200, ""])
    })
  )
})

describe("a sandbox that other machines can reach", () => {
  const token = "network-token"
  const exposed = Sandbox.layer({ host: "0.0.0.0", token: Redacted.make(token) })

  const wrong: ReadonlyArray<ReadonlyArray<string>> = [
    [],
    ["Authorization: Bearer wrong"],
    [`Authorization: Bearer ${token}x`],
    [`Authorization: Basic ${token}`],
    [`Authorization: ${token}`],
    [`Cookie: token=${token}`]
  ]
  for (const headers of wrong) {
    it.live(`responds with 401 to every control endpoint with [${headers.join()}]`, () =>
      Effect.gen(function* () {
        for (const endpoint of endpoints) {
          const { body, status } = yield* bare(`${endpoint}?token=${token}`, [
            "Host: localhost",
            ...headers
          ])
          expect([endpoint, status]).toEqual([endpoint, 401])
          expect(JSON.parse(body).error).toMatchObject({
            status: 401,
            detail: expect.stringContaining("bearer token")
          })
          expect(body).not.toContain(token)
        }
      }).pipe(Effect.provide(exposed))
    )
  }

  it.live("accepts the token with any Host", () =>
    Effect.gen(function* () {
      const headers = ["Host: sandbox.internal:8080", `Authorization: bearer ${token}`]
      expect((yield* bare("GET /_sandbox/messages", headers)).status).toBe(200)
      const plain = yield* ask("/fault", {
        method: "PUT",
        headers: { authorization: `Bearer ${token}`, "content-type": "text/plain" },
        body: "{}"
      })
      expect(plain.status).toBe(415)
    }).pipe(Effect.provide(exposed))
  )

  it.live("needs no token for its health and its contract", () =>
    Effect.gen(function* () {
      for (const endpoint of open) {
        expect((yield* bare(endpoint, ["Host: sandbox.internal"])).status).toBe(200)
      }
      const health = yield* ask("/../healthz")
      expect(JSON.parse(health.body)).toEqual({ status: "ok" })
    }).pipe(Effect.provide(exposed))
  )
})
