import { describe, expect } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { authorization, bodyOf, call, json, raw, send } from "./support/Client.ts"
import { sandboxTest } from "./support/SandboxTest.ts"

const endpoints = [
  ["POST", "/sms/send"],
  ["GET", "/sms/some-id"],
  ["GET", "/v1/airtime/AIR-1001"],
  ["GET", "/v1/databundle/DATA-2001"],
  ["GET", "/v1/list-bundles"]
] as const

const errorBody = (status: number, title: string, detail: unknown = expect.any(String)) => ({
  success: false,
  error: { status, title, detail }
})

describe("authentication", () => {
  for (const [method, path] of endpoints) {
    sandboxTest(
      `${method} ${path} responds with 401 without a token and with a wrong one`,
      Effect.gen(function* () {
        const right = yield* authorization
        const wrong: ReadonlyArray<Record<string, string>> = [
          {},
          { authorization: "Bearer wrong" },
          { authorization: `${right}x` },
          { authorization: right.replace("Bearer", "Basic") }
        ]
        for (const headers of wrong) {
          const response = yield* call(path, { method, headers })
          expect(response.status).toBe(401)
          expect(json(response)).toEqual(errorBody(401, "Authentication failed"))
        }
        const { messages } = yield* Sandbox
        expect(yield* messages()).toEqual([])
      })
    )
  }
})

describe("an invalid request", () => {
  const bodies = {
    "no JSON": "{",
    "no body": "",
    "no recipient": JSON.stringify({ message: "Hello" }),
    "no text": JSON.stringify({ recipient: "+15551234567" }),
    "a number for the recipient": JSON.stringify({ recipient: 15551234567, message: "Hello" }),
    "an empty recipient": JSON.stringify({ recipient: "", message: "Hello" }),
    "an empty text": JSON.stringify({ recipient: "+15551234567", message: "" }),
    "a list": "[]"
  }
  for (const [what, body] of Object.entries(bodies)) {
    sandboxTest(
      `gets 400 and a placeholder status: ${what}`,
      Effect.gen(function* () {
        const response = yield* call("/sms/send", { method: "POST", body })
        expect(response.status).toBe(400)
        expect(json(response)).toEqual(errorBody(0, "Invalid Request Value"))
        const { messages } = yield* Sandbox
        expect(yield* messages()).toEqual([])
      })
    )
  }

  sandboxTest(
    "gets 400: another content type",
    Effect.gen(function* () {
      const headers = { authorization: yield* authorization, "content-type": "text/plain" }
      const response = yield* call("/sms/send", { method: "POST", headers, body: "Hello" })
      expect(response.status).toBe(400)
      expect(json(response)).toEqual(errorBody(0, "Invalid Request Value"))
    })
  )

  for (const path of [
    "/nope",
    "//v1/list-bundles",
    "/v1/list-bundles/",
    "/V1/list-bundles",
    "/sms/%zz"
  ]) {
    sandboxTest(
      `gets 404: ${path}`,
      Effect.gen(function* () {
        const response = yield* call(path)
        expect(response.status).toBe(404)
        expect(json(response)).toEqual(errorBody(404, "Not found"))
      })
    )
  }

  for (const line of ["TRACE /sms/send", "OPTIONS *", "DELETE /sms/x", "POST /"]) {
    sandboxTest(
      `gets 404: ${line}`,
      Effect.gen(function* () {
        const { text } = yield* raw(
          `${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
        )
        expect(text).toMatch(/^HTTP\/1.1 404 /)
        expect(JSON.parse(bodyOf(text))).toEqual(errorBody(404, "Not found"))
      })
    )
  }
})

describe("the body limit", () => {
  const sized = (bytes: number) => {
    const frame = JSON.stringify({ recipient: "+15551234567", message: "" })
    return { recipient: "+15551234567", message: "x".repeat(bytes - frame.length) }
  }

  sandboxTest(
    "accepts a body of 128 KiB",
    Effect.gen(function* () {
      expect((yield* send(sized(128 * 1024))).status).toBe(202)
    })
  )

  sandboxTest(
    "responds with 413 to a larger body, and accepts nothing",
    Effect.gen(function* () {
      const response = yield* send(sized(128 * 1024 + 1))
      expect(response.status).toBe(413)
      expect(json(response)).toEqual(errorBody(413, "Content Too Large"))
      const { messages, requests } = yield* Sandbox
      expect(yield* messages()).toEqual([])
      expect((yield* requests())[0]?.body).toHaveLength(128 * 1024)
    })
  )
})

describe("a browser", () => {
  const preflight = { "access-control-request-method": "POST", origin: "https://shop.example" }

  sandboxTest(
    "may send with Authorization and Content-Type from any origin",
    Effect.gen(function* () {
      const response = yield* call("/sms/send", { method: "OPTIONS", headers: preflight })
      expect(response.status).toBe(204)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "GET, POST",
        "access-control-allow-headers": "Authorization, Content-Type"
      })
    })
  )

  sandboxTest(
    "may read every response and Retry-After",
    Effect.gen(function* () {
      const headers = { origin: "https://shop.example" }
      for (const response of [
        yield* send(),
        yield* call("/sms/x0429"),
        yield* call("/nope", { headers })
      ]) {
        expect(Object.fromEntries(response.headers)).toMatchObject({
          "access-control-allow-origin": "*",
          "access-control-expose-headers": "Retry-After"
        })
      }
    })
  )
})
