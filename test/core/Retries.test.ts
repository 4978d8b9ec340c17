import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as TestClock from "effect/testing/TestClock"
import { reply, type Respond } from "../support/ResponseServer.ts"
import { runInTestTime, patience, turn } from "../support/TestTime.ts"
import { contract } from "../support/Contract.ts"
import { serving } from "../support/Serving.ts"

/**
 * Lets the test's clock run in small steps while real responses come in, and tells at what time of
 * that clock each request arrived.
 */
const arrivals = (first: Respond, stepMillis: number) =>
  serving({ timeout: patience, readRetries: 2 }, (service, server) =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const times: Array<number> = []
      server.respondWith((request, response) => {
        times.push(clock.currentTimeMillisUnsafe())
        const respond = times.length === 1 ? first : reply(200, contract.getSmsStatus.success)
        respond(request, response)
      })
      const reading = yield* Effect.forkChild(service.getSmsStatus("m-1"))
      const tick = Effect.andThen(TestClock.adjust(stepMillis), turn)
      while (reading.pollUnsafe() === undefined) yield* tick
      yield* Fiber.join(reading)
      return times
    })
  )

describe("the wait before a read is retried", () => {
  it.effect.each([1, 30, 60])("is the %i seconds that Retry-After asks for", (seconds) =>
    Effect.gen(function* () {
      const [first = 0, second = 0] = yield* arrivals(
        reply(429, "", { "retry-after": String(seconds) }),
        100
      )
      expect(second - first).toBeGreaterThanOrEqual(seconds * 1000)
    })
  )

  it.effect("lasts until the date of Retry-After", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 1))
      const [first = 0, second = 0] = yield* arrivals(
        reply(503, "", { "retry-after": new Date(Date.UTC(2026, 0, 1, 0, 0, 20)).toUTCString() }),
        100
      )
      expect(first).toBeLessThan(Date.UTC(2026, 0, 1, 0, 0, 5))
      expect(second).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 1, 0, 0, 20))
    })
  )

  /** The waits of a failing read before each retry, if every random number is `share`. */
  const waits = (share: number, readRetries: number, headers: Record<string, string> = {}) =>
    Effect.gen(function* () {
      const asked: Array<number> = []
      const clock = yield* Clock.Clock
      const noticing: Clock.Clock = {
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
        currentTimeMillis: clock.currentTimeMillis,
        currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
        currentTimeNanos: clock.currentTimeNanos,
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: clock.monotonicTimeNanos,
        sleep: (duration) => {
          // The time-out of an attempt, which is never reached here.
          if (Duration.equals(duration, Duration.fromInputUnsafe(patience))) return Effect.never
          asked.push(Duration.toMillis(duration))
          return Effect.void
        }
      }
      yield* serving({ timeout: patience, readRetries }, (service, server) => {
        server.respondWith(reply(503, "", headers))
        return Effect.flip(service.getSmsStatus("m-1"))
      }).pipe(
        Effect.provideService(Clock.Clock, noticing),
        Effect.provideService(Random.Random, {
          nextIntUnsafe: () => 0,
          nextDoubleUnsafe: () => share
        })
      )
      return asked
    })

  it.live("starts at most at 200 ms without Retry-After, and doubles up to 10 s", () =>
    Effect.gen(function* () {
      const longest = [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]
      expect(yield* waits(1, longest.length)).toEqual(longest)
    })
  )

  it.live("is random, down to zero", () =>
    Effect.gen(function* () {
      expect(yield* waits(0.5, 3)).toEqual([100, 200, 400])
      expect(yield* waits(0, 3)).toEqual([0, 0, 0])
    })
  )

  it.live("is added to Retry-After, so that clients do not retry all at once", () =>
    Effect.gen(function* () {
      const headers = { "retry-after": "7" }
      expect(yield* waits(0, 2, headers)).toEqual([7000, 7000])
      expect(yield* waits(0.5, 2, headers)).toEqual([7100, 7200])
      expect(yield* waits(1, 2, headers)).toEqual([7200, 7400])
    })
  )

  it.live.each(["0", "Thu, 01 Jan 1970 00:00:00 GMT"])(
    "is the same as without Retry-After if the header asks for no wait: %s",
    (value) =>
      Effect.gen(function* () {
        expect(yield* waits(1, 3, { "retry-after": value })).toEqual([200, 400, 800])
      })
  )
})

describe("Retry-After", () => {
  const unreadable = ["soon", "-1", "1.5", "", "Thu", "0x10", "9".repeat(40)]

  it.live.each(unreadable)("%j is invalid, and the error has no time", (value) =>
    serving({}, (service, server) =>
      Effect.gen(function* () {
        server.respondWith(reply(429, "", { "retry-after": value }))
        const error = yield* Effect.flip(service.getSmsStatus("m-1"))
        expect(error).toMatchObject({ _tag: "UndocumentedStatus", status: 429 })
        expect(error).not.toHaveProperty("retryAfterSeconds")
      })
    )
  )

  it.effect("can be a date", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 1))
      const error = yield* serving({ timeout: patience }, (service, server) =>
        Effect.suspend(() => {
          server.respondWith(reply(429, "", { "retry-after": "Thu, 01 Jan 2026 00:00:20 GMT" }))
          return runInTestTime(service.getSmsStatus("m-1"))
        })
      )
      expect(Exit.findErrorOption(error)).toMatchObject({
        value: { retryAfterSeconds: expect.toSatisfy((seconds) => seconds > 15 && seconds <= 20) }
      })
    })
  )

  it.live("in the past means no wait", () =>
    serving({}, (service, server) =>
      Effect.gen(function* () {
        server.respondWith(reply(429, "", { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }))
        const error = yield* Effect.flip(service.getSmsStatus("m-1"))
        expect(error).toMatchObject({ retryAfterSeconds: 0 })
      })
    )
  )
})
