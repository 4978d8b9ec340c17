import { describe, expect } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import {
  authorization,
  bare,
  call,
  json,
  type ReadResponse,
  send
} from "../harness/sandbox/Client.ts"
import { sandboxTest } from "../harness/sandbox/SandboxTest.ts"

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

/** Expects that the last request was refused, and that its record says why. */
const expectRefused = Effect.fnUntraced(function* (
  response: ReadResponse,
  status: number,
  title: string,
  why: string
) {
  const { messages, requests } = yield* Sandbox
  expect([response.status, json(response)]).toEqual([
    status,
    errorBody(status === 400 ? 0 : status, title, expect.stringContaining(why))
  ])
  expect((yield* requests())[0]).toMatchObject({ status, refusal: expect.stringContaining(why) })
  expect(yield* messages()).toEqual([])
})

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
        yield* expectRefused(response, 401, "Authentication failed", "The bearer token is missing")
      }
    })
  )
}

describe("an invalid request", () => {
  const bodies = [
    ["{", "Expected a valid JSON body"],
    ["", "Expected a JSON object"],
    ["[]", "Expected a JSON object"],
    ['{"message":"Hello"}', "recipient: Missing key"],
    ['{"recipient":"+15551234567"}', "message: Missing key"],
    ['{"recipient":15551234567,"message":"Hello"}', "recipient: Expected string"],
    ['{"recipient":"","message":"Hello"}', "recipient: it is empty"],
    ['{"recipient":"+15551234567","message":""}', "message: it is empty"]
  ] as const
  for (const [body, why] of bodies) {
    sandboxTest(
      `gets 400 and a placeholder status: ${body}`,
      Effect.gen(function* () {
        const response = yield* call("/sms/send", { method: "POST", body })
        yield* expectRefused(response, 400, "Invalid Request Value", why)
      })
    )
  }

  sandboxTest(
    "gets 400: another content type",
    Effect.gen(function* () {
      const headers = { authorization: yield* authorization, "content-type": "text/plain" }
      const response = yield* call("/sms/send", { method: "POST", headers, body: "Hello" })
      yield* expectRefused(response, 400, "Invalid Request Value", "application/json")
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
        yield* expectRefused(yield* call(path), 404, "Not found", "no such endpoint")
      })
    )
  }

  for (const line of ["TRACE /sms/send", "OPTIONS *", "DELETE /sms/x", "POST /"]) {
    sandboxTest(
      `gets 404: ${line}`,
      Effect.gen(function* () {
        const { body, status } = yield* bare(line)
        expect([status, JSON.parse(body)]).toEqual([404, errorBody(404, "Not found")])
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
      const { requests } = yield* Sandbox
      const response = yield* send(sized(128 * 1024 + 1))
      yield* expectRefused(response, 413, "Content Too Large", "larger than 128 KiB")
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
      for (const [name, value] of [
        ["origin", "*"],
        ["methods", "GET, POST"],
        ["headers", "Authorization, Content-Type"]
      ]) {
        expect(response.headers.get(`access-control-allow-${name}`)).toBe(value)
      }
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
        expect(response.headers.get("access-control-allow-origin")).toBe("*")
        expect(response.headers.get("access-control-expose-headers")).toBe("Retry-After")
      }
    })
  )
})
