import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { createServer } from "node:net"
import { answer, answerServerOn, type Respond } from "../support/AnswerServer.ts"
import { client, transports } from "../support/Clients.ts"
import { contract, errorBody, operationNames, recipient, text } from "../support/Contract.ts"
import { serving } from "../support/Serving.ts"

interface Fault {
  readonly respond: Respond
  readonly tag: string
  readonly outcome: "not-sent" | "unknown" | "sent"
  /** How many requests one read puts on the wire, two retries allowed. */
  readonly reads: number
}

const beginWith =
  (status: number, chunk: string): Respond =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json" })
    response.write(chunk)
  }

const faults: Readonly<Record<string, Fault>> = {
  "a reset before any answer": {
    respond: (_, response) => response.destroy(),
    tag: "ConnectionLost",
    outcome: "unknown",
    reads: 3
  },
  "no answer": { respond: () => undefined, tag: "RequestTimedOut", outcome: "unknown", reads: 3 },
  "the documented 400": {
    respond: answer(400, errorBody(400)),
    tag: "InvalidRequest",
    outcome: "not-sent",
    reads: 1
  },
  "429": { respond: answer(429, ""), tag: "UndocumentedStatus", outcome: "not-sent", reads: 3 },
  "429 with Retry-After": {
    respond: answer(429, "", { "retry-after": "0" }),
    tag: "UndocumentedStatus",
    outcome: "not-sent",
    reads: 3
  },
  "429 with a Retry-After beyond a minute": {
    respond: answer(429, "", { "retry-after": "61" }),
    tag: "UndocumentedStatus",
    outcome: "not-sent",
    reads: 1
  },
  "502": { respond: answer(502, "<html>"), tag: "UndocumentedStatus", outcome: "unknown", reads: 3 },
  "503": { respond: answer(503, ""), tag: "UndocumentedStatus", outcome: "unknown", reads: 3 },
  "504": { respond: answer(504, ""), tag: "UndocumentedStatus", outcome: "unknown", reads: 3 },
  "an undocumented 409": {
    respond: answer(409, ""),
    tag: "UndocumentedStatus",
    outcome: "unknown",
    reads: 1
  },
  "a redirect": {
    respond: answer(307, "", { location: "/elsewhere" }),
    tag: "UndocumentedStatus",
    outcome: "unknown",
    reads: 1
  },
  "an undocumented status whose body never ends": {
    respond: beginWith(418, "short and stout"),
    tag: "UndocumentedStatus",
    outcome: "unknown",
    reads: 1
  },
  "an undocumented status whose body breaks off": {
    respond: (request, response) => {
      beginWith(418, "short")(request, response)
      setImmediate(() => response.destroy())
    },
    tag: "UndocumentedStatus",
    outcome: "unknown",
    reads: 1
  }
}

/** Faults that begin with the success status of the operation. */
const accepted = (status: number): Readonly<Record<string, Fault>> => ({
  "the success status, then silence": {
    respond: (_, response) => {
      response.writeHead(status, { "content-length": "100" })
      response.flushHeaders()
    },
    tag: "RequestTimedOut",
    outcome: "sent",
    reads: 3
  },
  "the success status, then half a body and silence": {
    respond: beginWith(status, '{"success":'),
    tag: "RequestTimedOut",
    outcome: "sent",
    reads: 3
  },
  "the success status, then half a body and a reset": {
    respond: (request, response) => {
      beginWith(status, '{"success":')(request, response)
      setImmediate(() => response.destroy())
    },
    tag: "ConnectionLost",
    outcome: "sent",
    reads: 3
  },
  "the success status and a body larger than allowed": {
    respond: answer(status, `"${"x".repeat(5000)}"`),
    tag: "InvalidResponse",
    outcome: "sent",
    reads: 1
  },
  "the success status and truncated JSON": {
    respond: answer(status, '{"success":true,"sta'),
    tag: "InvalidResponse",
    outcome: "sent",
    reads: 1
  }
})

/** A port that was free a moment ago; nobody listens on it. */
const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = address === null || typeof address === "string" ? 0 : address.port
    server.close(() => resume(Effect.succeed(port)))
  })
})

const limits = { timeout: "100 millis", maxBodyBytes: 4096, readRetries: 2 } as const

const reads = operationNames.filter((name) => name !== "sendSms")

describe.for(transports)("over %s, one call puts on the wire", ([, transport]) => {
  it.live.each(Object.entries({ ...faults, ...accepted(202) }))(
    "one request for sendSms, under %s",
    ([, { outcome, respond, tag }]) =>
      serving({ transport, ...limits }, (service, server) =>
        Effect.gen(function* () {
          server.respondWith(respond)
          const error = yield* Effect.flip(service.sendSms({ recipient, message: text }))
          expect(error._tag).toBe(tag)
          expect(sendOutcome(error)).toBe(outcome)
          expect(server.received).toHaveLength(1)
        })
      )
  )

  it.live("one request for sendSms under the documented 500, and its outcome is unknown", () =>
    serving({ transport, ...limits }, (service, server) =>
      Effect.gen(function* () {
        server.respondWith(answer(500, errorBody(500)))
        const error = yield* Effect.flip(service.sendSms({ recipient, message: text }))
        expect(error._tag).toBe("InternalServerError")
        expect(sendOutcome(error)).toBe("unknown")
        expect(server.received).toHaveLength(1)
      })
    )
  )

  describe.for(reads)("for %s", { concurrent: true }, (name) => {
    const { call, errors } = contract[name]

    it.live.each(Object.entries({ ...faults, ...accepted(200) }))(
      "no more requests than the retries allow, under %s",
      ([, { reads, respond, tag }]) =>
        serving({ transport, ...limits }, (service, server) =>
          Effect.gen(function* () {
            server.respondWith(respond)
            expect((yield* Effect.flip(call(service)))._tag).toBe(tag)
            expect(server.received).toHaveLength(reads)
          })
        )
    )

    it.live("three requests under 500, documented or not", () =>
      serving({ transport, ...limits }, (service, server) =>
        Effect.gen(function* () {
          server.respondWith(answer(500, errorBody(500)))
          expect((yield* Effect.flip(call(service)))._tag).toBe(
            errors.includes(500) ? "InternalServerError" : "UndocumentedStatus"
          )
          expect(server.received).toHaveLength(3)
        })
      )
    )

    it.live("as many retries as it is told, and the answer of the last", () =>
      serving({ transport, ...limits, readRetries: 4 }, (service, server) =>
        Effect.gen(function* () {
          let left = 4
          server.respondWith((request, response) =>
            (left-- > 0
              ? answer(503, "", { "retry-after": "0" })
              : answer(200, contract[name].success))(request, response)
          )
          expect(yield* call(service)).toEqual(contract[name].success)
          expect(server.received).toHaveLength(5)
        })
      )
    )
  })

  it.live.each(["127.0.0.1", "localhost"])("nothing, where %s refuses the connection", (host) =>
    Effect.gen(function* () {
      const port = yield* freePort
      const error = yield* Effect.flatMap(MessagingTopup, (service) =>
        Effect.flip(service.sendSms({ recipient, message: text }))
      ).pipe(Effect.provide(client(`http://${host}:${port}`, transport)))
      expect(error).toMatchObject({ _tag: "ConnectionFailed", code: "ECONNREFUSED" })
      expect(sendOutcome(error)).toBe("not-sent")
    })
  )

  it.effect("one request for sendSms, sent once a connection that was refused stands", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const refused = yield* Deferred.make<void>()
      const observed = Layer.effect(
        HttpClient.HttpClient,
        Effect.map(HttpClient.HttpClient, HttpClient.tapError(() => Deferred.succeed(refused, undefined)))
      ).pipe(Layer.provide(transport))
      const sending = yield* Effect.flatMap(MessagingTopup, (service) =>
        service.sendSms({ recipient, message: text })
      ).pipe(Effect.provide(client(`http://127.0.0.1:${port}`, observed)), Effect.forkChild)
      yield* Deferred.await(refused)
      const server = yield* answerServerOn(port)
      server.respondWith(answer(202, contract.sendSms.success))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(sending)).toEqual(contract.sendSms.success)
      expect(server.received).toHaveLength(1)
    })
  )

  it.live("a ConnectionFailed for a host that does not exist", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flatMap(MessagingTopup, (service) =>
        Effect.flip(service.getSmsStatus("m-1"))
      ).pipe(Effect.provide(client("https://no-such-host.invalid", transport)))
      expect(error._tag).toBe("ConnectionFailed")
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

  it.live("abort the request whose body is larger than allowed", () =>
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
