import { describe, expect, it } from "@effect/vitest"
import {
  AuthenticationFailed,
  awaitSmsStatus,
  type AwaitSmsStatusOptions,
  ConnectionLost,
  type GetSmsStatusError,
  InvalidInput,
  InvalidResponse,
  MessagingTopup,
  NotFound,
  RequestTimedOut,
  type SmsStatusRecord,
  StillPending
} from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as TestClock from "effect/testing/TestClock"
import { expectTypeOf } from "vitest"
import { reply, type Respond, type ResponseServer, silence } from "../support/ResponseServer.ts"
import { contract, errorBody, recipient } from "../support/Contract.ts"
import { serving, type ServingOptions } from "../support/Serving.ts"
import { turn } from "../support/TestTime.ts"

const record = (status: string, message_id = "m-1"): SmsStatusRecord => ({
  recipient,
  message_id,
  status,
  date_created: "any",
  sender_id: "ACME"
})

const records = (...data: ReadonlyArray<SmsStatusRecord>): Respond =>
  reply(200, { ...contract.getSmsStatus.success, data })

const pending = records(record("pending"))
/** Responds to each request with the next response, then always with the last one. */
const inTurn = (first: Respond, ...others: ReadonlyArray<Respond>): Respond => {
  let respond = first
  const rest = others.values()
  return (request, response) => {
    respond(request, response)
    respond = rest.next().value ?? respond
  }
}

const isDelivered = ({ status }: SmsStatusRecord) => status === "delivered"

/** No pauses and no limits: by default, neither the schedule nor the time-out ends a wait. */
const patient: AwaitSmsStatusOptions = {
  until: isDelivered,
  schedule: Schedule.forever,
  timeout: "1 hour"
}

const waiting = (
  respond: Respond,
  wait: Partial<AwaitSmsStatusOptions> = {},
  settings: ServingOptions = {}
) =>
  serving(settings, (service, server) =>
    Effect.gen(function* () {
      server.respondWith(respond)
      const result = yield* awaitSmsStatus("m-1", { ...patient, ...wait }).pipe(
        Effect.provideService(MessagingTopup, service),
        Effect.result
      )
      return { result, reads: server.received.length }
    })
  )

describe("awaitSmsStatus", () => {
  it.live("succeeds with the first record that satisfies the caller", () =>
    Effect.gen(function* () {
      const { reads, result } = yield* waiting(
        inTurn(
          records(),
          pending,
          records(record("pending", "m-1"), record("delivered", "m-2"), record("delivered", "m-3"))
        )
      )
      expect(result).toMatchObject({ _tag: "Success", success: record("delivered", "m-2") })
      expect(reads).toBe(3)
    })
  )

  it.live("reads the status of the given SMS", () =>
    serving({}, (service, server) =>
      Effect.gen(function* () {
        server.respondWith(inTurn(pending, records(record("delivered"))))
        yield* Effect.provideService(awaitSmsStatus("m/1", patient), MessagingTopup, service)
        expect(server.received).toMatchObject([
          { method: "GET", url: "/sms/m%2F1" },
          { method: "GET", url: "/sms/m%2F1" }
        ])
      })
    )
  )

  it.live("reads once if the first response satisfies the caller", () =>
    Effect.gen(function* () {
      const { reads, result } = yield* waiting(records(record("delivered")))
      expect(result).toMatchObject({ _tag: "Success", success: record("delivered") })
      expect(reads).toBe(1)
    })
  )

  it.live("asks the caller about every record in turn", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const until = (each: SmsStatusRecord) => {
        asked.push(each.message_id ?? "")
        return asked.length === 4
      }
      const responses = records(record("any", "m-1"), record("any", "m-2"), record("any", "m-3"))
      const { result } = yield* waiting(responses, { until })
      expect(asked).toEqual(["m-1", "m-2", "m-3", "m-1"])
      expect(result).toMatchObject({ _tag: "Success", success: record("any", "m-1") })
    })
  )

  it.live.each([0, 1, 4])(
    "fails as StillPending after one read and %i more, which the schedule allows",
    (times) =>
      Effect.gen(function* () {
        const { reads, result } = yield* waiting(pending, { schedule: Schedule.recurs(times) })
        expect(result).toMatchObject({ _tag: "Failure", failure: { _tag: "StillPending" } })
        expect(reads).toBe(1 + times)
      })
  )

  it.live("fails as StillPending with the last record that it read", () =>
    Effect.gen(function* () {
      const responses = inTurn(
        pending,
        records(record("pending", "m-1"), record("sent", "m-2")),
        records()
      )
      const { reads, result } = yield* waiting(responses, { schedule: Schedule.recurs(2) })
      expect(reads).toBe(3)
      expect(result).toMatchObject({ failure: { lastRecord: record("sent", "m-2") } })
    })
  )

  it.live("fails as StillPending without a record if it read none", () =>
    Effect.gen(function* () {
      const { result } = yield* waiting(records(), { schedule: Schedule.recurs(1) })
      expect(result).toMatchObject({ failure: { _tag: "StillPending" } })
      expect(result).not.toHaveProperty("failure.lastRecord")
    })
  )

  it.live("retries a failed read, like every read", () =>
    Effect.gen(function* () {
      const { reads, result } = yield* waiting(
        inTurn(pending, reply(503, "", { "retry-after": "0" }), records(record("delivered"))),
        {},
        { readRetries: 1 }
      )
      expect(result).toMatchObject({ _tag: "Success" })
      expect(reads).toBe(3)
    })
  )
})

describe("an invalid time-out", () => {
  it.live.each(["bogus", -1, 0, Number.NaN, Number.POSITIVE_INFINITY, undefined])(
    "%s is InvalidInput, and nothing is read",
    (timeout) =>
      serving({}, (service, server) =>
        Effect.gen(function* () {
          const options = { until: () => true, schedule: Schedule.recurs(1) }
          // What a script without types can pass.
          const wait = awaitSmsStatus("m-1", { ...options, timeout: timeout as never })
          const error = yield* Effect.flip(Effect.provideService(wait, MessagingTopup, service))
          expect(error).toMatchObject({ _tag: "InvalidInput", field: "timeout" })
          expect(server.received).toEqual([])
        })
      )
  )
})

describe("the time-out of a wait", () => {
  type Wait = Fiber.Fiber<SmsStatusRecord, Effect.Error<ReturnType<typeof awaitSmsStatus>>>

  interface Watched {
    readonly server: ResponseServer
    /** The arrival time of each request, on the test's clock. */
    readonly times: ReadonlyArray<number>
    /** The next request to arrive. */
    readonly arrival: Effect.Effect<void>
    /** The next record that is passed to the caller, and what the wait does then. */
    readonly question: Effect.Effect<void>
  }

  /** A wait on the test's clock. */
  const watch = <A, E>(
    respond: Respond,
    wait: Partial<AwaitSmsStatusOptions>,
    use: (fiber: Wait, watched: Watched) => Effect.Effect<A, E>
  ) =>
    serving({ timeout: "1 hour" }, (service, server) =>
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        const times: Array<number> = []
        const arrivals = yield* Queue.unbounded<void>()
        const questions = yield* Queue.unbounded<void>()
        server.respondWith((request, response) => {
          times.push(clock.currentTimeMillisUnsafe())
          Queue.offerUnsafe(arrivals, undefined)
          respond(request, response)
        })
        const until = (each: SmsStatusRecord) => {
          Queue.offerUnsafe(questions, undefined)
          return isDelivered(each)
        }
        const fiber = yield* awaitSmsStatus("m-1", { ...patient, ...wait, until }).pipe(
          Effect.provideService(MessagingTopup, service),
          Effect.forkChild
        )
        return yield* use(fiber, {
          server,
          times,
          arrival: Queue.take(arrivals),
          question: Effect.andThen(Queue.take(questions), turn)
        })
      })
    )

  it.effect("includes the pauses of the schedule", () =>
    watch(
      inTurn(pending, pending, records(record("delivered"))),
      { schedule: Schedule.exponential("10 seconds") },
      (fiber, { question, times }) =>
        Effect.gen(function* () {
          yield* question
          yield* TestClock.adjust("10 seconds")
          yield* question
          yield* TestClock.adjust("20 seconds")
          expect(yield* Fiber.join(fiber)).toEqual(record("delivered"))
          expect(times).toEqual([0, 10_000, 30_000])
        })
    )
  )

  it.effect("ends the wait between two reads, with the last record", () =>
    watch(
      pending,
      { schedule: Schedule.spaced("10 seconds"), timeout: "25 seconds" },
      (fiber, { question, times }) =>
        Effect.gen(function* () {
          for (let read = 0; read < 3; read++) {
            yield* question
            yield* TestClock.adjust("10 seconds")
          }
          const error = yield* Effect.flip(Fiber.join(fiber))
          expect(error).toMatchObject({ _tag: "StillPending", lastRecord: record("pending") })
          expect(times).toEqual([0, 10_000, 20_000])
        })
    )
  )

  it.effect("ends the wait during a read, and interrupts the read", () =>
    watch(
      inTurn(pending, silence),
      { schedule: Schedule.spaced("10 seconds"), timeout: "25 seconds" },
      (fiber, { arrival, question, server }) =>
        Effect.gen(function* () {
          yield* arrival
          yield* question
          const disconnected = server.nextDisconnect()
          yield* TestClock.adjust("10 seconds")
          yield* arrival
          yield* TestClock.adjust("15 seconds")
          const error = yield* Effect.flip(Fiber.join(fiber))
          expect(error).toMatchObject({ _tag: "StillPending", lastRecord: record("pending") })
          yield* Effect.promise(() => disconnected)
        })
    )
  )

  it.effect("ends the wait during the first read, without a record", () =>
    watch(silence, { timeout: "25 seconds" }, (fiber, { arrival, server }) =>
      Effect.gen(function* () {
        const disconnected = server.nextDisconnect()
        yield* arrival
        yield* TestClock.adjust("25 seconds")
        const error = yield* Effect.flip(Fiber.join(fiber))
        expect(error).toBeInstanceOf(StillPending)
        expect(error).not.toHaveProperty("lastRecord")
        yield* Effect.promise(() => disconnected)
      })
    )
  )

  it.effect("does not prevent an interruption, which reaches the read in flight", () =>
    watch(silence, {}, (fiber, { arrival, server }) =>
      Effect.gen(function* () {
        const disconnected = server.nextDisconnect()
        yield* arrival
        yield* Fiber.interrupt(fiber)
        yield* Effect.promise(() => disconnected)
      })
    )
  )
})

describe("an error that `continueOn` accepts", () => {
  const tags = new Set(["NotFound", "ConnectionLost", "UndocumentedStatus"])
  const continueOn = ({ _tag }: GetSmsStatusError) => tags.has(_tag)
  const lost: Respond = (_, response) => response.destroy()
  const unknownYet = reply(404, errorBody(404))

  it.live("does not end the wait: a 404 right after the send, and a short outage", () =>
    Effect.gen(function* () {
      const { reads, result } = yield* waiting(
        inTurn(unknownYet, unknownYet, pending, lost, reply(503), records(record("delivered"))),
        { continueOn }
      )
      expect(result).toMatchObject({ _tag: "Success", success: record("delivered") })
      expect(reads).toBe(6)
    })
  )

  it.live("keeps the last record that was read", () =>
    Effect.gen(function* () {
      const { result } = yield* waiting(inTurn(pending, lost), {
        continueOn,
        schedule: Schedule.recurs(3)
      })
      expect(result).toMatchObject({
        failure: { _tag: "StillPending", lastRecord: record("pending") }
      })
    })
  )

  it.live("ends the wait if `continueOn` does not accept it", () =>
    Effect.gen(function* () {
      const { reads, result } = yield* waiting(inTurn(unknownYet, reply(401, errorBody(401))), {
        continueOn
      })
      expect(result).toMatchObject({ failure: expect.any(AuthenticationFailed) })
      expect(reads).toBe(2)
    })
  )
})

describe("an error of getSmsStatus", () => {
  // Responses.test.ts and Wire.test.ts have all of its errors.
  it.live.each<readonly [name: string, respond: Respond, expected: object]>([
    ["NotFound", reply(404, errorBody(404)), NotFound],
    ["InvalidResponse", reply(200, "<html>"), InvalidResponse],
    ["ConnectionLost", (_, response) => response.destroy(), ConnectionLost]
  ])("%s ends the wait unchanged", ([, respond, expected]) =>
    Effect.gen(function* () {
      const { reads, result } = yield* waiting(inTurn(pending, respond))
      expect(result).toMatchObject({ failure: expect.any(expected) })
      expect(reads).toBe(2)
    })
  )

  it.live("RequestTimedOut ends the wait unchanged", () =>
    Effect.gen(function* () {
      const { reads, result } = yield* waiting(silence, {}, { timeout: "50 millis" })
      expect(result).toMatchObject({ failure: expect.any(RequestTimedOut) })
      expect(reads).toBe(1)
    })
  )

  it.live("InvalidInput ends the wait before anything is sent", () =>
    serving({}, (service, server) =>
      Effect.gen(function* () {
        const error = yield* awaitSmsStatus("..", patient).pipe(
          Effect.provideService(MessagingTopup, service),
          Effect.flip
        )
        expect(error).toBeInstanceOf(InvalidInput)
        expect(server.received).toEqual([])
      })
    )
  )

  it.live("can be caught by its tag, and other errors remain", () =>
    serving({}, (service, server) => {
      server.respondWith(reply(404, errorBody(404)))
      const caught = awaitSmsStatus("m-1", patient).pipe(
        Effect.catchTag(["StillPending", "NotFound"], () => Effect.succeed("caught")),
        Effect.provideService(MessagingTopup, service)
      )
      expectTypeOf<Effect.Error<typeof caught>>().toEqualTypeOf<
        Exclude<GetSmsStatusError, NotFound>
      >()
      return Effect.map(caught, (result) => expect(result).toBe("caught"))
    })
  )
})

describe("StillPending", () => {
  const error = new StillPending({ lastRecord: record("pending") })

  it("lets the caller read the last record", () => {
    expectTypeOf(error.lastRecord).toEqualTypeOf<SmsStatusRecord | undefined>()
    expect(error.lastRecord).toEqual(record("pending"))
    expect(error.message).toContain("did not reach the expected status")
  })
})
