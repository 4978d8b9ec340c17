import { describe, expect, it } from "@effect/vitest"
import * as core from "@messaging-topup/core"
import { MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { sendBatch } from "../../examples/send-batch.ts"
import { client } from "../support/Clients.ts"
import { patience } from "../support/Clockwork.ts"
import { contract, errorBody, recipient, text } from "../support/Contract.ts"
import { serving } from "../support/Serving.ts"
import { responseText, socketServer } from "../support/SocketServer.ts"

const body = { error: {} }

const notSent = new core.ConnectionFailed({})
const unknown = new core.ConnectionLost({})
const sent = new core.ConnectionLost({ status: 202 })

const errors: ReadonlyArray<readonly [core.SendOutcome, core.SendSmsError]> = [
  ["not-sent", new core.InvalidInput({ field: "recipient", problem: "" })],
  ["not-sent", notSent],
  ["not-sent", new core.RequestTimedOut({ timeoutMillis: 1, started: false })],
  ["not-sent", new core.InvalidRequest(body)],
  ["not-sent", new core.AuthenticationFailed(body)],
  ["not-sent", new core.PaymentRequired(body)],
  ["not-sent", new core.InsufficientPermissions(body)],
  ["not-sent", new core.NotFound(body)],
  ["not-sent", new core.UndocumentedStatus({ status: 429, body: "" })],
  ["unknown", unknown],
  ["unknown", new core.ConnectionLost({ status: 402 })],
  ["unknown", new core.RequestTimedOut({ timeoutMillis: 1, started: true })],
  ["unknown", new core.RequestTimedOut({ timeoutMillis: 1, started: true, status: 500 })],
  ["unknown", new core.InternalServerError(body)],
  ["unknown", new core.UndocumentedStatus({ status: 503, body: "" })],
  ["unknown", new core.UndocumentedStatus({ status: 200, body: "" })],
  ["unknown", new core.InvalidResponse({ status: 400, problem: "", body: "" })],
  ["unknown", new core.InvalidResponse({ status: 202, problem: "", body: "", success: false })],
  ["sent", sent],
  ["sent", new core.RequestTimedOut({ timeoutMillis: 1, started: true, status: 202 })],
  ["sent", new core.InvalidResponse({ status: 202, problem: "", body: "" })]
]

describe("sendOutcome", () => {
  it.each(errors)("is %s of %o, of its cause and of its exit", (outcome, error) => {
    expect(sendOutcome(error)).toBe(outcome)
    expect(sendOutcome(Cause.fail(error))).toBe(outcome)
    expect(sendOutcome(Exit.fail(error))).toBe(outcome)
  })

  it("is sent of a success", () => {
    expect(sendOutcome(Exit.succeed(contract.sendSms.success))).toBe("sent")
  })

  const reasons: Readonly<Record<string, Cause.Cause<unknown>>> = {
    notSent: Cause.fail(notSent),
    unknown: Cause.fail(unknown),
    sent: Cause.fail(sent),
    interruption: Cause.interrupt(1),
    defect: Cause.die("a defect"),
    foreign: Cause.fail(new Cause.TimeoutError()),
    nothing: Cause.empty
  }

  const pairs = Object.entries(reasons).flatMap(([one, first]) =>
    Object.entries(reasons).map(
      ([other, second]) => [one, other, Cause.combine(first, second)] as const
    )
  )

  it.each(pairs)(
    "of a cause with %s and %s counts what is known before what is not",
    (one, other, cause) => {
      const both = [one, other].filter((name) => name !== "nothing")
      const expected = both.includes("sent")
        ? "sent"
        : both.length > 0 && both.every((name) => name === "notSent")
          ? "not-sent"
          : "unknown"
      expect(sendOutcome(cause)).toBe(expected)
      expect(sendOutcome(Exit.failCause(cause))).toBe(expected)
    }
  )

  it.effect("is unknown of an outer time-out, whose error is not one of ours", () =>
    serving({ timeout: patience }, (service, server) =>
      Effect.gen(function* () {
        const arrived = Promise.withResolvers<void>()
        server.respondWith(() => arrived.resolve())
        const sending = yield* service
          .sendSms({ recipient, message: text })
          .pipe(Effect.timeout("5 seconds"), Effect.exit, Effect.forkChild)
        yield* Effect.promise(() => arrived.promise)
        yield* TestClock.adjust("5 seconds")
        expect(sendOutcome(yield* Fiber.join(sending))).toBe("unknown")
        expect(server.received).toHaveLength(1)
      })
    )
  )
})

describe("a batch", () => {
  const count = 120

  /** The number of the row is its recipient; every kind of response comes among them. */
  const batch = <A>(
    run: (requests: ReadonlyArray<core.SendSmsRequest>) => Effect.Effect<A, unknown, MessagingTopup>
  ) =>
    Effect.gen(function* () {
      const server = yield* socketServer
      const accepted = new Set<string>()
      server.onRequest((socket, nth) => {
        const [, row = ""] = /"recipient":"(\d+)"/.exec(server.received[nth - 1] ?? "") ?? []
        const kind = Number(row) % 6
        if (kind === 1) return void socket.write(responseText(402, errorBody(402)))
        if (kind === 4) return void socket.write(responseText(503, ""))
        accepted.add(row)
        if (kind === 5) return void socket.destroy()
        return void setImmediate(() => socket.write(responseText(202, contract.sendSms.success)))
      })
      const requests = Array.from({ length: count }, (_, row) => ({
        recipient: String(row),
        message: text
      }))
      const exit = yield* Effect.exit(run(requests)).pipe(Effect.provide(client(server.baseUrl)))
      return { accepted, exit, received: server.received.length }
    })

  it.live("that runs plainly loses sends: one 402 interrupts seven that were accepted", () =>
    Effect.gen(function* () {
      const { accepted, exit } = yield* batch((requests) =>
        Effect.flatMap(MessagingTopup, ({ sendSms }) =>
          Effect.forEach(requests, (request) => sendSms(request), { concurrency: 8 })
        )
      )
      expect(accepted.size).toBeGreaterThan(1)
      expect(Exit.findErrorOption(exit)).toMatchObject({ value: { _tag: "PaymentRequired" } })
    })
  )

  it.live("that keeps an exit of each row says of every row whether it went out", () =>
    Effect.gen(function* () {
      const { accepted, exit, received } = yield* batch((requests) =>
        sendBatch(requests, "10 minutes")
      )
      const rows = yield* exit
      expect(received).toBe(count)
      expect(rows.map(({ outcome }) => outcome)).toEqual(
        Array.from(
          { length: count },
          (_, row) => ["sent", "not-sent", "sent", "sent", "unknown", "unknown"][row % 6]
        )
      )
      const reported = rows.filter(({ outcome }) => outcome !== "not-sent")
      for (const row of accepted) {
        expect(reported.map(({ request }) => request.recipient)).toContain(row)
      }
    })
  )

  it.live.each([0, 1, 5, 20, 60])(
    "whose time is up finishes the rows that have begun, and begins no other: %i ms",
    (millis) =>
      Effect.gen(function* () {
        const { accepted, exit, received } = yield* batch((requests) =>
          sendBatch(requests, `${millis} millis`)
        )
        const rows = yield* exit
        const of = (outcome: core.SendOutcome) =>
          rows.filter((row) => row.outcome === outcome).map(({ request }) => request.recipient)
        expect(rows).toHaveLength(count)
        expect(of("not-sent").filter((row) => accepted.has(row))).toEqual([])
        expect(of("sent").filter((row) => !accepted.has(row))).toEqual([])
        const refused = rows.filter(({ request }) => Number(request.recipient) % 6 === 1)
        expect(of("sent").length + of("unknown").length).toBeLessThanOrEqual(received)
        expect(received).toBeLessThanOrEqual(
          of("sent").length + of("unknown").length + refused.length
        )
      })
  )
})
