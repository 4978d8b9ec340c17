import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { freePort } from "../support/FreePort.ts"
import {
  beginWith,
  breakOff,
  reply,
  reset,
  type Respond,
  responseServerOn,
  silence
} from "../support/ResponseServer.ts"
import { client, transports } from "../support/Clients.ts"
import {
  runInTestTime,
  countingResponses,
  countingRetries,
  withoutRetryDelays,
  patience
} from "../support/TestTime.ts"
import {
  contract,
  errorBody,
  type OperationFacts,
  operationNames,
  recipient,
  text
} from "../support/Contract.ts"
import { isFull } from "../support/Runs.ts"
import { serving } from "../support/Serving.ts"

interface Fault {
  readonly respond: Respond
  /** Faults where the response stops, so that only the time-out ends the call. */
  readonly stalls?: "before the headers" | "after the headers"
  readonly tag: string
  readonly outcome: "not-sent" | "unknown" | "sent"
  /** The number of requests of one read, with two retries. */
  readonly reads: number
}

const faults: Readonly<Record<string, Fault>> = {
  "a reset before any response": {
    respond: reset,
    tag: "ConnectionLost",
    outcome: "unknown",
    reads: 3
  },
  "no response": {
    respond: silence,
    stalls: "before the headers",
    tag: "RequestTimedOut",
    outcome: "unknown",
    reads: 3
  },
  "the documented 400": {
    respond: reply(400, errorBody(400)),
    tag: "InvalidRequest",
    outcome: "not-sent",
    reads: 1
  },
  "429": { respond: reply(429, ""), tag: "UndocumentedStatus", outcome: "not-sent", reads: 3 },
  "429 with Retry-After": {
    respond: reply(429, "", { "retry-after": "0" }),
    tag: "UndocumentedStatus",
    outcome: "not-sent",
    reads: 3
  },
  "429 with a Retry-After beyond a minute": {
    respond: reply(429, "", { "retry-after": "61" }),
    tag: "UndocumentedStatus",
    outcome: "not-sent",
    reads: 1
  },
  "502": {
    respond: reply(502, "<html>"),
    tag: "UndocumentedStatus",
    outcome: "unknown",
    reads: 3
  },
  "503": { respond: reply(503, ""), tag: "UndocumentedStatus", outcome: "unknown", reads: 3 },
  "504": { respond: reply(504, ""), tag: "UndocumentedStatus", outcome: "unknown", reads: 3 },
  "an undocumented 409": {
    respond: reply(409, ""),
    tag: "UndocumentedStatus",
    outcome: "unknown",
    reads: 1
  },
  "a redirect": {
    respond: reply(307, "", { location: "/elsewhere" }),
    tag: "UndocumentedStatus",
    outcome: "unknown",
    reads: 1
  },
  "an undocumented status whose body never ends": {
    respond: beginWith(418, "short and stout"),
    stalls: "after the headers",
    tag: "UndocumentedStatus",
    outcome: "unknown",
    reads: 1
  },
  "an undocumented status with an incomplete body": {
    respond: breakOff(418, "short"),
    tag: "UndocumentedStatus",
    outcome: "unknown",
    reads: 1
  }
}

/** Faults that begin with the success status of the operation. */
const accepted = (status: number): Readonly<Record<string, Fault>> => ({
  "the success status, then nothing more": {
    respond: (_, response) => {
      response.writeHead(status, { "content-length": "100" })
      response.flushHeaders()
    },
    stalls: "after the headers",
    tag: "RequestTimedOut",
    outcome: "sent",
    reads: 3
  },
  "the success status, then half a body and nothing more": {
    respond: beginWith(status),
    stalls: "after the headers",
    tag: "RequestTimedOut",
    outcome: "sent",
    reads: 3
  },
  "the success status, then half a body and a reset": {
    respond: breakOff(status),
    tag: "ConnectionLost",
    outcome: "sent",
    reads: 3
  },
  "the success status and a body that is too large": {
    respond: reply(status, `"${"x".repeat(5000)}"`),
    tag: "InvalidResponse",
    outcome: "sent",
    reads: 1
  },
  "the success status and truncated JSON": {
    respond: reply(status, '{"success":true,"sta'),
    tag: "InvalidResponse",
    outcome: "sent",
    reads: 1
  }
})

/** The full tests try every read. */
const readNames = isFull
  ? operationNames.filter((name) => name !== "sendSms")
  : (["getSmsStatus"] as const)

describe.for(transports)("over %s, one call sends", ([name, transport]) => {
  /** The error of the call, and the number of requests that the server received. */
  const under = (
    { respond, stalls }: Pick<Fault, "respond" | "stalls">,
    { call }: Pick<OperationFacts, "call">
  ) => {
    const { begun, counted } = countingResponses()
    return serving(
      { transport, timeout: patience, maxBodyBytes: 4096, readRetries: 2 },
      (service, server) =>
        Effect.gen(function* () {
          server.respondWith(respond)
          const stalled = {
            never: () => 0,
            "before the headers": () => server.received.length,
            "after the headers": begun
          }
          const exit = yield* runInTestTime(counted(call(service)), stalled[stalls ?? "never"])
          const error = yield* Effect.flip(exit)
          return { error, requests: server.received.length }
        })
    )
  }

  const send = (service: MessagingTopup["Service"]) =>
    service
      .sendSms({ recipient, message: text })
      .pipe(Effect.mapError((error) => ({ _tag: error._tag, outcome: sendOutcome(error) })))

  it.effect.each(Object.entries({ ...faults, ...accepted(202) }))(
    "one request for sendSms, with %s",
    ([, { outcome, tag, ...fault }]) =>
      Effect.gen(function* () {
        const { error, requests } = yield* under(fault, { call: send })
        expect(error).toEqual({ _tag: tag, outcome })
        expect(requests).toBe(1)
      })
  )

  it.effect("one request for sendSms if a reused connection breaks", () =>
    serving({ transport }, (service, server) =>
      Effect.gen(function* () {
        server.respondWith(reply(202, contract.sendSms.success))
        yield* service.sendSms({ recipient, message: text })
        server.respondWith(reset)
        expect(yield* Effect.flip(send(service))).toEqual({
          _tag: "ConnectionLost",
          outcome: "unknown"
        })
        expect(server.received).toHaveLength(1)
      })
    )
  )

  it.effect("one request for sendSms after the documented 500, and its outcome is unknown", () =>
    Effect.gen(function* () {
      const fault = { respond: reply(500, errorBody(500)) }
      const { error, requests } = yield* under(fault, { call: send })
      expect(error).toEqual({ _tag: "InternalServerError", outcome: "unknown" })
      expect(requests).toBe(1)
    })
  )

  describe.for(readNames)("for %s", (operation) => {
    const { call, errors, success } = contract[operation]

    it.effect.each(Object.entries({ ...faults, ...accepted(200) }))(
      "no more requests than the retries allow, with %s",
      ([, { reads, tag, ...fault }]) =>
        Effect.gen(function* () {
          const { error, requests } = yield* under(fault, contract[operation])
          expect(error._tag).toBe(tag)
          expect(requests).toBe(reads)
        })
    )

    it.effect("three requests after 500, documented or not", () =>
      Effect.gen(function* () {
        const fault = { respond: reply(500, errorBody(500)) }
        const { error, requests } = yield* under(fault, contract[operation])
        expect(error._tag).toBe(errors.includes(500) ? "InternalServerError" : "UndocumentedStatus")
        expect(requests).toBe(3)
      })
    )

    it.effect("as many retries as configured, and returns the last response", () =>
      serving({ transport, timeout: patience, readRetries: 4 }, (service, server) =>
        Effect.gen(function* () {
          let left = 4
          server.respondWith((request, response) =>
            (left-- > 0 ? reply(503) : reply(200, success))(request, response)
          )
          expect(yield* yield* runInTestTime(call(service))).toEqual(success)
          expect(server.received).toHaveLength(5)
        })
      )
    )
  })

  // `fetch` does not say that a request did not start.
  const knows = name === "undici"
  const sendTries = knows ? 3 : 1

  it.live.each(["127.0.0.1", "localhost"])(
    `nothing if %s refuses the connection, in ${sendTries} attempts`,
    (host) =>
      Effect.gen(function* () {
        const port = yield* Effect.promise(freePort)
        const { counted, retries } = countingRetries()
        const error = yield* Effect.flatMap(MessagingTopup, (service) =>
          Effect.flip(service.sendSms({ recipient, message: text }))
        ).pipe(
          counted,
          Effect.provide(client(`http://${host}:${port}`, transport)),
          withoutRetryDelays
        )
        expect(error).toMatchObject({
          _tag: knows ? "ConnectionFailed" : "ConnectionLost",
          code: "ECONNREFUSED",
          sendOutcome: knows ? "not-sent" : "unknown"
        })
        expect(retries() + 1).toBe(sendTries)
      })
  )

  it.effect.runIf(knows)("one request for sendSms after a refused connection is accepted", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(freePort)
      const refused = Promise.withResolvers<void>()
      const { counted } = countingRetries(refused.resolve)
      const sending = yield* Effect.flatMap(MessagingTopup, (service) =>
        service.sendSms({ recipient, message: text })
      ).pipe(
        counted,
        Effect.provide(client(`http://127.0.0.1:${port}`, transport)),
        Effect.exit,
        Effect.forkChild
      )
      yield* Effect.promise(() => refused.promise)
      const server = yield* responseServerOn(port)
      server.respondWith(reply(202, contract.sendSms.success))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(sending)).toEqual(Exit.succeed(contract.sendSms.success))
      expect(server.received).toHaveLength(1)
    })
  )

  it.live("a typed error for a host that does not exist", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flatMap(MessagingTopup, (service) =>
        Effect.flip(service.getSmsStatus("m-1"))
      ).pipe(Effect.provide(client("https://no-such-host.invalid", transport)))
      expect(error._tag).toBe(knows ? "ConnectionFailed" : "ConnectionLost")
    })
  )
})

describe.for(transports)("over %s, interruption and time-out", ([, transport]) => {
  const moments: ReadonlyArray<readonly [string, Respond]> = [
    ["before the headers", () => undefined],
    ["in the body", beginWith(202, '{"success":')]
  ]

  it.live.each(moments)("abort the request %s: interruption", ([, respond]) =>
    serving({ transport }, (service, server) =>
      Effect.gen(function* () {
        const begun = Promise.withResolvers<void>()
        server.respondWith((request, response) => {
          respond(request, response)
          begun.resolve()
        })
        const disconnected = server.nextDisconnect()
        const fiber = yield* Effect.forkChild(service.sendSms({ recipient, message: text }))
        yield* Effect.promise(() => begun.promise)
        yield* Fiber.interrupt(fiber)
        yield* Effect.promise(() => disconnected)
        expect(server.received).toHaveLength(1)
      })
    )
  )

  it.live.each(moments)("abort the request %s: time-out", ([, respond]) =>
    serving({ transport, timeout: "100 millis" }, (service, server) =>
      Effect.gen(function* () {
        server.respondWith(respond)
        const disconnected = server.nextDisconnect()
        const error = yield* Effect.flip(service.sendSms({ recipient, message: text }))
        expect(error).toMatchObject({ _tag: "RequestTimedOut", timeoutMillis: 100 })
        yield* Effect.promise(() => disconnected)
      })
    )
  )

  it.live("abort a request whose response body is larger than allowed", () =>
    serving({ transport, maxBodyBytes: 1000 }, (service, server) =>
      Effect.gen(function* () {
        server.respondWith((_, response) => {
          response.writeHead(200, { "content-type": "application/json" })
          const more = () => {
            if (!response.destroyed) response.write("x".repeat(1000), () => setImmediate(more))
          }
          more()
        })
        const disconnected = server.nextDisconnect()
        const error = yield* Effect.flip(service.getSmsStatus("m-1"))
        expect(error).toMatchObject({
          _tag: "InvalidResponse",
          status: 200,
          problem: "more than 1000 bytes"
        })
        yield* Effect.promise(() => disconnected)
      })
    )
  )
})
