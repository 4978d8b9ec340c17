import { describe, expect } from "@effect/vitest"
import { type Fault, Sandbox, type SandboxFault } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { send } from "./support/Client.ts"
import { ask, currentFault, problem, setFault, tell } from "./support/Control.ts"
import { sandboxTest } from "./support/SandboxTest.ts"

describe("PUT /_sandbox/fault", () => {
  // The compiler sees to it that none is missing.
  const faults: { readonly [Name in Fault["fault"]]: SandboxFault & { fault: Name } } = {
    Response: { fault: "Response", status: 503, body: "busy", headers: { "retry-after": "7" } },
    ResetBeforeAcceptance: { fault: "ResetBeforeAcceptance" },
    ResetAfterAcceptance: { fault: "ResetAfterAcceptance" },
    NoResponse: { fault: "NoResponse", accept: true },
    HeadersThenSilence: { fault: "HeadersThenSilence" },
    TruncatedJson: { fault: "TruncatedJson" },
    BodyCutOff: { fault: "BodyCutOff" },
    Slow: { fault: "Slow", seconds: 0.5 }
  }

  sandboxTest(
    "accepts every fault, and GET returns it unchanged",
    Effect.gen(function* () {
      for (const fault of Object.values(faults)) {
        expect(yield* setFault(fault)).toEqual({ fault })
        expect(yield* currentFault).toEqual(fault)
        expect(yield* setFault({ ...fault, times: 3 })).toEqual({ fault: { ...fault, times: 3 } })
      }
    })
  )

  sandboxTest(
    "applies the fault to the next requests, as many as it says",
    Effect.gen(function* () {
      yield* setFault({ fault: "Response", status: 503, body: "busy", times: 2 })
      const first = yield* send()
      expect([first.status, first.body]).toEqual([503, "busy"])
      expect(yield* currentFault).toMatchObject({ times: 1 })
      expect((yield* send()).status).toBe(503)
      expect(yield* currentFault).toBeNull()
      expect((yield* send()).status).toBe(202)
    })
  )

  sandboxTest(
    "sends an empty body if none is given",
    Effect.gen(function* () {
      yield* setFault({ fault: "Response", status: 500 })
      const response = yield* send()
      expect([response.status, response.body]).toEqual([500, ""])
    })
  )

  const names = "one of Response, ResetBeforeAcceptance"
  const invalidFaults = [
    [{ fault: "Nonsense" }, names],
    [{}, names],
    [[], names],
    ["", names],
    [null, names],
    [{ fault: "Response" }, "status: Missing key"],
    [{ fault: "Response", status: 199 }, "status: Expected a value between 200 and 599"],
    [{ fault: "Response", status: 200.5 }, "status: Expected an integer"],
    [{ fault: "Response", status: "200" }, "status: Expected"],
    [{ fault: "Response", status: 200, body: 1 }, "body: Expected string"],
    [
      { fault: "Response", status: 200, headers: { "a b": "x" } },
      "headers: Expected valid header names"
    ],
    [
      { fault: "Response", status: 200, headers: { a: "x\r\ny: z" } },
      "headers.a: Expected a value"
    ],
    ...["Content-Length", "transfer-encoding", "Connection"].map(
      (name) =>
        [
          { fault: "Response", status: 200, headers: { "x-a": "1", [name]: "1" } },
          `headers.${name}: The sandbox sets this header`
        ] as const
    ),
    ...[204, 205, 304].map(
      (status) =>
        [
          { fault: "Response", status, body: "x" },
          `body: A response with status ${status} has no body`
        ] as const
    ),
    [{ fault: "NoResponse", accept: "yes" }, "accept: Expected boolean"],
    [{ fault: "NoResponse", acept: true }, "acept: is not known"],
    [{ fault: "ResetAfterAcceptance", time: 1 }, "time: is not known"],
    [{ fault: "NoResponse", times: 0 }, "times: Expected a value greater than 0"],
    [{ fault: "NoResponse", times: 1.5 }, "times: Expected an integer"],
    [{ fault: "Slow" }, "seconds: Missing key"],
    [{ fault: "Slow", seconds: 0 }, "seconds: Expected a value between 0 (excluded) and 3600"],
    [{ fault: "Slow", seconds: 3601 }, "seconds: Expected a value between 0"]
  ] as const
  for (const [body, detail] of invalidFaults) {
    sandboxTest(
      `responds with 400 to ${JSON.stringify(body)}, and changes nothing`,
      Effect.gen(function* () {
        yield* setFault({ fault: "TruncatedJson" })
        expect(problem(yield* tell("PUT", "/fault", body))).toEqual({
          status: 400,
          bodyStatus: 400,
          success: false,
          detail: expect.stringContaining(detail)
        })
        expect(yield* currentFault).toEqual({ fault: "TruncatedJson" })
      })
    )
  }

  for (const body of ["", "{", "fault=NoResponse"]) {
    sandboxTest(
      `responds with 400 to a body that is not JSON: ${JSON.stringify(body)}`,
      Effect.gen(function* () {
        const headers = { "content-type": "application/json" }
        const response = yield* ask("/fault", { method: "PUT", headers, body })
        expect(problem(response)).toMatchObject({ status: 400, success: false })
      })
    )
  }

  sandboxTest(
    "responds with 413 to more than 128 KiB",
    Effect.gen(function* () {
      const body = { fault: "Response", status: 200, body: "x".repeat(128 * 1024) }
      expect(problem(yield* tell("PUT", "/fault", body))).toMatchObject({
        status: 413,
        bodyStatus: 413
      })
    })
  )
})

describe("GET and DELETE /_sandbox/fault", () => {
  sandboxTest(
    "return and clear the fault that the program set",
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      expect(yield* currentFault).toBeNull()
      yield* sandbox.setFault({ fault: "Response", status: 500, body: "x", times: 2 })
      expect(yield* currentFault).toEqual({ fault: "Response", status: 500, body: "x", times: 2 })
      const response = yield* ask("/fault", { method: "DELETE" })
      expect([response.status, response.body]).toEqual([204, ""])
      expect(yield* currentFault).toBeNull()
      expect((yield* send()).status).toBe(202)
    })
  )
})
