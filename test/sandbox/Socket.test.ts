/** What only a client on a real socket sees or does. */
import { describe, expect, it } from "@effect/vitest"
import { type Fault, Sandbox } from "@messaging-topup/sandbox"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import {
  bare,
  bodyOf,
  call,
  headersArrived,
  raw,
  rawSend,
  send,
  sms
} from "../harness/sandbox/Client.ts"
import { sandboxTest } from "../harness/sandbox/SandboxTest.ts"

describe("on the wire, the fault", () => {
  const under = <A, E>(fault: Fault, body: Effect.Effect<A, E, Sandbox>) =>
    Effect.gen(function* () {
      const { setFault } = yield* Sandbox
      yield* setFault(fault)
      return yield* body
    })

  const wire = (leave?: (text: string) => boolean) =>
    Effect.flatMap(rawSend, (request) => raw(request, leave))

  sandboxTest(
    "Response is the given body and headers",
    Effect.gen(function* () {
      const headers = { "retry-after": "7" }
      const given = yield* under({ fault: "Response", status: 503, body: "busy", headers }, send())
      expect([given.status, given.body]).toEqual([503, "busy"])
      expect(given.headers.get("content-type")).toBe("application/json")
      expect(given.headers.get("retry-after")).toBe("7")
      for (const status of [204, 205, 304, 500]) {
        const empty = yield* under({ fault: "Response", status }, send())
        expect([empty.status, empty.body]).toEqual([status, ""])
      }
    })
  )

  for (const fault of ["ResetBeforeAcceptance", "ResetAfterAcceptance"] as const) {
    sandboxTest(
      `${fault} is a reset before any byte`,
      Effect.gen(function* () {
        expect(yield* under({ fault }, wire())).toEqual({ text: "", end: "ECONNRESET" })
      })
    )
  }

  sandboxTest(
    "HeadersThenSilence is the documented status and headers, and no body",
    Effect.gen(function* () {
      const { end, text } = yield* under({ fault: "HeadersThenSilence" }, wire(headersArrived))
      expect(text).toMatch(/^HTTP\/1.1 202 /)
      expect(text).toMatch(/content-type: application\/json/i)
      expect([bodyOf(text), end]).toEqual(["", "left"])
    })
  )

  sandboxTest(
    "TruncatedJson is a complete message with half of the JSON",
    Effect.gen(function* () {
      const response = yield* under({ fault: "TruncatedJson" }, send())
      expect(response.headers.get("content-length")).toBe(String(response.body.length))
      expect(response.body).toMatch(/^\{"success":true/)
      expect(() => JSON.parse(response.body)).toThrow(SyntaxError)
    })
  )

  sandboxTest(
    "BodyCutOff is half of the announced body, and a reset",
    Effect.gen(function* () {
      const { end, text } = yield* under({ fault: "BodyCutOff" }, wire())
      const announced = Number(/content-length: (\d+)/i.exec(text)?.[1])
      expect(text).toMatch(/^HTTP\/1.1 202 /)
      expect(bodyOf(text)).toHaveLength(Math.ceil(announced / 2))
      // Node 22 closes the connection if it is reset during a write.
      expect(["ECONNRESET", "closed"]).toContain(end)
    })
  )
})

describe("a fault", () => {
  const busy: Fault = { fault: "Response", status: 503, body: "" }

  sandboxTest(
    "neither applies to nor counts preflights and requests to other paths",
    Effect.gen(function* () {
      const { setFault } = yield* Sandbox
      yield* setFault({ ...busy, times: 1 })
      const headers = { "access-control-request-method": "POST" }
      expect((yield* call("/sms/send", { method: "OPTIONS", headers })).status).toBe(204)
      expect((yield* call("/sms/send", { method: "OPTIONS" })).status).toBe(404)
      for (const path of [
        "/favicon.ico",
        "/sms",
        "/v1/airtime",
        "/v1/list-bundles/x",
        "//sms/send"
      ]) {
        expect((yield* call(path)).status).toBe(404)
      }
      for (const path of [
        "/",
        "/healthz",
        "/openapi.json",
        "/_sandbox/messages",
        "/_sandbox/fault"
      ]) {
        expect((yield* call(path)).status).toBe(200)
      }
      expect([(yield* send()).status, (yield* send()).status]).toEqual([503, 202])
    })
  )

  sandboxTest(
    "applies to any method of the five endpoints",
    Effect.gen(function* () {
      const { setFault } = yield* Sandbox
      yield* setFault(busy)
      for (const path of [
        "/sms/x",
        "/sms/a%2Fb",
        "/v1/airtime/x?y",
        "/v1/databundle/x",
        "/v1/list-bundles?network=a"
      ]) {
        for (const method of ["GET", "POST", "DELETE"]) {
          expect((yield* call(path, { method })).status).toBe(503)
        }
      }
    })
  )
})

describe("the record of a request", () => {
  const paths = [
    "/sms/a%2Fb",
    "/sms/%252e",
    "/sms/%2e%2e",
    "/sms/..",
    "/sms/%00%1b%zz?<b>",
    "//sms//x?q=%2F&&"
  ]

  sandboxTest(
    "has its path unchanged, and is not disconnected because its connection closes",
    Effect.gen(function* () {
      const { requests } = yield* Sandbox
      for (const path of paths) yield* bare(`GET ${path}`)
      expect(yield* requests()).toMatchObject(
        paths.toReversed().map((path) => ({ path, disconnected: false }))
      )
    })
  )

  sandboxTest(
    "has what arrived of the body, if its client disconnected",
    Effect.gen(function* () {
      const { messages, until } = yield* Sandbox
      const { end } = yield* raw(
        "POST /sms/send HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\nhalf",
        (text) => text.includes("100 Continue")
      )
      expect(end).toBe("left")
      const { requests } = yield* until((kept) => kept.requests.length === 1)
      expect(requests).toMatchObject([{ body: "half", disconnected: true }])
      expect(yield* messages()).toEqual([])
    })
  )

  it.live("of a disconnected client ends at once: its response is interrupted", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const live = yield* Clock.Clock
      // Never ends, and records its interruption.
      const clock: Clock.Clock = {
        currentTimeMillis: live.currentTimeMillis,
        currentTimeMillisUnsafe: () => live.currentTimeMillisUnsafe(),
        currentTimeNanos: live.currentTimeNanos,
        currentTimeNanosUnsafe: () => live.currentTimeNanosUnsafe(),
        monotonicTimeNanos: live.monotonicTimeNanos,
        monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
        sleep: () =>
          Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
      }
      const sandbox = Layer.provide(Sandbox.layer(), Layer.succeed(Clock.Clock, clock))
      yield* Effect.gen(function* () {
        const { until } = yield* Sandbox
        const fiber = yield* Effect.forkChild(send({ ...sms, recipient: "+15550000901" }))
        yield* until(({ requests }) => requests.length >= 1)
        yield* Fiber.interrupt(fiber)
        yield* Deferred.await(interrupted)
      }).pipe(Effect.provide(sandbox))
    })
  )
})
