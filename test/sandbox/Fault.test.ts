import { describe, expect } from "@effect/vitest"
import { type Fault, Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { bodyOf, call, headersArrived, raw, rawSend, send, sms } from "./support/Client.ts"
import { sandboxTest } from "./support/SandboxTest.ts"

const acceptedCount = Effect.gen(function* () {
  const { messages } = yield* Sandbox
  return (yield* messages()).length
})

const under = <A, E>(fault: Fault, body: Effect.Effect<A, E, Sandbox>) =>
  Effect.gen(function* () {
    const { setFault } = yield* Sandbox
    yield* setFault(fault)
    return yield* body
  })

/** The response to a send on a plain socket. */
const wire = (leave?: (text: string) => boolean) =>
  Effect.flatMap(rawSend, (request) => raw(request, leave))

/** Sends, and disconnects after the sandbox received the whole request and does not respond. */
const sendAndLeave = Effect.gen(function* () {
  const { until } = yield* Sandbox
  const fiber = yield* Effect.forkChild(wire())
  yield* until(({ requests }) => requests.length >= 1)
  fiber.interruptUnsafe()
  const { requests } = yield* until((kept) =>
    kept.requests.some(({ disconnected }) => disconnected)
  )
  return requests[0]
})

describe("Response", () => {
  sandboxTest(
    "sends the given status, body and headers, and accepts nothing",
    Effect.gen(function* () {
      const fault: Fault = {
        fault: "Response",
        status: 503,
        body: "busy",
        headers: { "retry-after": "7" }
      }
      const response = yield* under(fault, send())
      expect([response.status, response.body]).toEqual([503, "busy"])
      expect(response.headers.get("content-type")).toBe("application/json")
      expect(response.headers.get("retry-after")).toBe("7")
      expect(yield* acceptedCount).toBe(0)
    })
  )

  const impossible: ReadonlyArray<Fault> = [
    { fault: "Response", status: 99, body: "" },
    { fault: "Response", status: 204, body: "x" },
    { fault: "Response", status: 200, body: "x", headers: { "Content-Length": "9" } },
    { fault: "Slow", seconds: -1 }
  ]
  for (const fault of impossible) {
    sandboxTest(
      `that HTTP does not allow is a defect: ${JSON.stringify(fault)}`,
      Effect.gen(function* () {
        const { setFault } = yield* Sandbox
        const exit = yield* Effect.exit(setFault(fault))
        expect(exit._tag).toBe("Failure")
        expect((yield* send()).status).toBe(202)
      })
    )
  }

  for (const status of [204, 205, 304]) {
    sandboxTest(
      `has no body with ${status}, and accepts nothing`,
      Effect.gen(function* () {
        expect(yield* under({ fault: "Response", status, body: "" }, send())).toMatchObject({
          status,
          body: ""
        })
        expect(yield* acceptedCount).toBe(0)
      })
    )
  }
})

describe("ResetBeforeAcceptance", () => {
  sandboxTest(
    "resets after the request and accepts nothing",
    Effect.gen(function* () {
      const { requests } = yield* Sandbox
      expect(yield* under({ fault: "ResetBeforeAcceptance" }, wire())).toEqual({
        text: "",
        end: "ECONNRESET"
      })
      expect((yield* requests())[0]).toMatchObject({
        body: JSON.stringify(sms),
        disconnected: false
      })
      expect(yield* acceptedCount).toBe(0)
    })
  )
})

describe("ResetAfterAcceptance", () => {
  sandboxTest(
    "resets before any response, after acceptance",
    Effect.gen(function* () {
      expect(yield* under({ fault: "ResetAfterAcceptance" }, wire())).toEqual({
        text: "",
        end: "ECONNRESET"
      })
      expect(yield* acceptedCount).toBe(1)
    })
  )
})

describe("NoResponse", () => {
  sandboxTest(
    "sends nothing until the client disconnects, and accepts nothing",
    Effect.gen(function* () {
      const request = yield* under({ fault: "NoResponse" }, sendAndLeave)
      expect(request).toMatchObject({ body: JSON.stringify(sms), disconnected: true })
      expect(yield* acceptedCount).toBe(0)
    })
  )

  sandboxTest(
    "accepts first if the fault says so",
    Effect.gen(function* () {
      const request = yield* under({ fault: "NoResponse", accept: true }, sendAndLeave)
      expect(request?.disconnected).toBe(true)
      expect(yield* acceptedCount).toBe(1)
    })
  )
})

describe("HeadersThenSilence", () => {
  sandboxTest(
    "sends the documented status and headers and no body",
    Effect.gen(function* () {
      const { until } = yield* Sandbox
      const { end, text } = yield* under({ fault: "HeadersThenSilence" }, wire(headersArrived))
      expect(text).toMatch(/^HTTP\/1.1 202 /)
      expect(text).toMatch(/content-type: application\/json/i)
      expect([bodyOf(text), end]).toEqual(["", "left"])
      yield* until(({ requests }) => requests.some(({ disconnected }) => disconnected))
      expect(yield* acceptedCount).toBe(1)
    })
  )
})

describe("TruncatedJson", () => {
  sandboxTest(
    "sends a complete message with half of the JSON",
    Effect.gen(function* () {
      const response = yield* under({ fault: "TruncatedJson" }, send())
      expect(response.status).toBe(202)
      expect(response.headers.get("content-length")).toBe(String(response.body.length))
      expect(response.body).toMatch(/^\{"success":true/)
      expect(() => JSON.parse(response.body)).toThrow(SyntaxError)
      expect(yield* acceptedCount).toBe(1)
    })
  )
})

describe("BodyCutOff", () => {
  sandboxTest(
    "sends half of the announced body and resets",
    Effect.gen(function* () {
      const { end, text } = yield* under({ fault: "BodyCutOff" }, wire())
      const announced = Number(/content-length: (\d+)/i.exec(text)?.[1])
      expect(text).toMatch(/^HTTP\/1.1 202 /)
      expect(bodyOf(text)).toHaveLength(Math.ceil(announced / 2))
      // Node 22 closes the connection if it is reset during a write.
      expect(["ECONNRESET", "closed"]).toContain(end)
      expect(yield* acceptedCount).toBe(1)
    })
  )

  sandboxTest(
    "fails the body of fetch, after the status",
    Effect.gen(function* () {
      const failed = yield* Effect.flip(under({ fault: "BodyCutOff" }, send()))
      expect(failed).toMatchObject({ reason: "terminated" })
      expect(["ECONNRESET", "UND_ERR_SOCKET"]).toContain(failed.code)
    })
  )
})

describe("setFault", () => {
  const busy: Fault = { fault: "Response", status: 503, body: "" }

  const statuses = (count: number) =>
    Effect.gen(function* () {
      const seen = []
      for (let request = 0; request < count; request++) seen.push((yield* send()).status)
      return seen
    })

  sandboxTest(
    "lasts until it is cleared",
    Effect.gen(function* () {
      const { clearFault } = yield* Sandbox
      expect(yield* under(busy, statuses(3))).toEqual([503, 503, 503])
      yield* clearFault
      expect(yield* statuses(1)).toEqual([202])
    })
  )

  sandboxTest(
    "lasts for the given number of requests",
    Effect.gen(function* () {
      const { setFault } = yield* Sandbox
      yield* setFault({ ...busy, times: 2 })
      expect(yield* statuses(3)).toEqual([503, 503, 202])
    })
  )

  sandboxTest(
    "has priority over a forced outcome",
    Effect.gen(function* () {
      const { setFault } = yield* Sandbox
      yield* setFault({ fault: "TruncatedJson", times: 1 })
      const forced = send({ ...sms, recipient: "+15550000900" })
      expect(yield* forced).toMatchObject({ status: 202, body: expect.not.stringMatching(/}$/) })
      expect((yield* Effect.flip(forced)).code).toBe("ECONNRESET")
    })
  )

  sandboxTest(
    "does not apply to a preflight",
    Effect.gen(function* () {
      const { setFault } = yield* Sandbox
      yield* setFault({ ...busy, times: 1 })
      const headers = { "access-control-request-method": "POST" }
      expect((yield* call("/sms/send", { method: "OPTIONS", headers })).status).toBe(204)
      expect(yield* statuses(2)).toEqual([503, 202])
    })
  )

  sandboxTest(
    "neither applies to nor counts requests to other paths",
    Effect.gen(function* () {
      const { setFault } = yield* Sandbox
      yield* setFault({ ...busy, times: 1 })
      for (const path of [
        "/favicon.ico",
        "/sms",
        "/v1/airtime",
        "/v1/list-bundles/x",
        "//sms/send"
      ]) {
        expect((yield* call(path)).status).toBe(404)
      }
      expect((yield* call("/sms/send", { method: "OPTIONS" })).status).toBe(404)
      expect(yield* statuses(2)).toEqual([503, 202])
    })
  )

  for (const path of [
    "/sms/x",
    "/v1/airtime/x?y",
    "/v1/databundle/x",
    "/v1/list-bundles?network=a",
    "/sms/a%2Fb"
  ]) {
    sandboxTest(
      `applies to any method of ${path}`,
      Effect.gen(function* () {
        yield* (yield* Sandbox).setFault(busy)
        for (const method of ["GET", "POST", "DELETE"]) {
          expect((yield* call(path, { method })).status).toBe(503)
        }
      })
    )
  }
})
