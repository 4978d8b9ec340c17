import { describe, expect, it } from "@effect/vitest"
import { type ForcedOutcome, forcedOutcomes, Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { runs } from "../harness/Runs.ts"
import {
  call,
  CallFailed,
  type CallOptions,
  json,
  open,
  send,
  sms
} from "../harness/sandbox/Client.ts"
import { sandboxTest } from "../harness/sandbox/SandboxTest.ts"

interface Operation {
  readonly name: string
  readonly success: number
  readonly request: (suffix: string) => readonly [path: string, options?: CallOptions]
}

const sending: Operation = {
  name: "sendSms",
  success: 202,
  request: (suffix) => [
    "/sms/send",
    { method: "POST", body: JSON.stringify({ ...sms, recipient: `+1555000${suffix}` }) }
  ]
}

const reads: ReadonlyArray<Operation> = [
  { name: "getSmsStatus", success: 200, request: (suffix) => [`/sms/x${suffix}`] },
  { name: "getAirtimeStatus", success: 200, request: (suffix) => [`/v1/airtime/x${suffix}`] },
  { name: "getDataBundleStatus", success: 200, request: (suffix) => [`/v1/databundle/x${suffix}`] }
]

const titles: Readonly<Record<number, string>> = {
  400: "Invalid Request Value",
  401: "Authentication failed",
  402: "Payment Required",
  403: "Insufficient permissions",
  404: "Not found",
  429: "Too Many Requests",
  500: "Internal server error"
}

const title = (operation: Operation, status: number) =>
  operation.name === "getSmsStatus" && status === 404 ? "Unknown message id" : titles[status]

const expectOutcome = Effect.fnUntraced(function* (outcome: ForcedOutcome, operation: Operation) {
  const { fault, suffix } = outcome
  const request = operation.request(suffix)
  const calling = call(...request)
  switch (fault.fault) {
    case "Response": {
      const { headers = {}, status } = fault
      const response = yield* calling
      expect(response.status).toBe(status)
      const type = headers["content-type"] ?? "application/json"
      expect(response.headers.get("content-type")).toContain(type)
      expect(response.headers.get("retry-after")).toBe(headers["retry-after"] ?? null)
      if (type !== "application/json") return expect(response.body).toBe(fault.body)
      return expect(json(response)).toEqual({
        success: false,
        error: {
          status: status === 400 ? 0 : status,
          title: title(operation, status),
          detail: expect.stringContaining(suffix)
        }
      })
    }
    case "Slow": {
      const start = performance.now()
      expect((yield* calling).status).toBe(operation.success)
      return expect(performance.now() - start).toBeGreaterThan(fault.seconds * 1000 - 50)
    }
    case "ResetAfterAcceptance": {
      const error = yield* Effect.flip(calling)
      expect(error).toBeInstanceOf(CallFailed)
      return expect(error.code).toBe("ECONNRESET")
    }
    case "TruncatedJson": {
      const response = yield* calling
      expect(response.status).toBe(operation.success)
      expect(response.body).toMatch(/^\{"/)
      return expect(() => json(response)).toThrow(SyntaxError)
    }
    case "HeadersThenSilence": {
      const { until } = yield* Sandbox
      const response = yield* open(...request)
      expect(response.status).toBe(operation.success)
      yield* Effect.promise(() => response.body?.cancel() ?? Promise.resolve())
      const { requests } = yield* until((kept) =>
        kept.requests.some(({ disconnected }) => disconnected)
      )
      return expect(requests[0]?.path).toBe(request[0])
    }
    case "BodyCutOff":
    case "NoResponse":
    case "ResetBeforeAcceptance":
      return expect.fail(`no outcome forces ${fault.fault}`)
  }
})

for (const outcome of forcedOutcomes) {
  describe.concurrent(`${outcome.suffix}: ${outcome.response}`, () => {
    sandboxTest(
      `sendSms, and the SMS ${outcome.accepted ? "is" : "is not"} accepted`,
      Effect.gen(function* () {
        yield* expectOutcome(outcome, sending)
        const { messages, requests } = yield* Sandbox
        const { accepted, fault, suffix } = outcome
        const [message] = yield* messages()
        const got = { fault: fault.fault, forced: suffix }
        if (accepted) expect(message).toMatchObject({ recipient: `+1555000${suffix}`, ...got })
        else expect(message).toBeUndefined()
        const [request] = yield* requests()
        expect(request).toMatchObject(got)
        expect(request?.message_id).toBe(message?.message_id)
        expect(request).not.toHaveProperty("refusal")
      })
    )

    for (const operation of reads) {
      sandboxTest(operation.name, expectOutcome(outcome, operation))
    }
  })
}

describe("a recipient", () => {
  const suffixes = forcedOutcomes.map(({ suffix }) => suffix)

  sandboxTest(
    "is accepted, whatever its ending, unless the number is fictional",
    Effect.gen(function* () {
      const digits = fc.stringMatching(/^[2-9]\d{6,9}$/)
      const end = fc.constantFrom(...suffixes, "7", "")
      const number = fc.tuple(fc.constantFrom("+", "00", "", "+1 (212) "), digits, end)
      const recipients = fc.sample(number, runs(2000)).map((parts) => parts.join(""))
      // Without a plus, the country is not known. Two numbers are not one fictional number.
      recipients.push("15550000402", "0015550000402", "+2547,+15550000402", "+1555 Ann 0402")
      const { messages } = yield* Sandbox
      const statuses = yield* Effect.forEach(
        recipients,
        (recipient) => Effect.map(send({ ...sms, recipient }), ({ status }) => status),
        { concurrency: 20 }
      )
      expect(recipients.filter((_, index) => statuses[index] !== 202)).toEqual([])
      expect(yield* messages()).toHaveLength(recipients.length)
    })
  )

  sandboxTest(
    "is fictional as people write it, too",
    Effect.gen(function* () {
      for (const recipient of [
        "+1 555 000-0402",
        " +1 (555) 000.04.02",
        "+1\u00a0555\u20110000402"
      ]) {
        expect((yield* send({ ...sms, recipient })).status, recipient).toBe(402)
      }
    })
  )
})

describe("the table", () => {
  it("has the documented suffixes, each once", () => {
    expect(forcedOutcomes.map(({ suffix }) => suffix).join(" ")).toBe(
      "0400 0401 0402 0403 0404 0500 0429 0418 0502 0900 0901 0902 0903"
    )
  })
})
