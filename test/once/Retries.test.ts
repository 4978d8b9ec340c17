import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { reply } from "../harness/ResponseServer.ts"
import { patience, withRandom } from "../harness/TestTime.ts"
import { serving } from "../harness/Serving.ts"

/**
 * How a read fails that only gets such responses, and its waits before each retry if every random number is
 * `share`. The time of the test's clock stands still.
 */
const failedRead = (
  { headers = {}, share = 0 }: { headers?: Record<string, string>; share?: number },
  readRetries: number
) =>
  Effect.gen(function* () {
    const waits: Array<number> = []
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
        waits.push(Duration.toMillis(duration))
        return Effect.void
      }
    }
    const error = yield* serving({ timeout: patience, readRetries }, function* (service, server) {
      server.respondWith(reply(503, "", headers))
      return yield* Effect.flip(service.getSmsStatus("m-1"))
    }).pipe(
      Effect.provideService(Clock.Clock, noticing),
      withRandom(() => share)
    )
    return { error, waits }
  })

const now = Date.UTC(2026, 0, 1)
const inTwentySeconds = "Thu, 01 Jan 2026 00:00:20 GMT"
const past = "Thu, 01 Jan 1970 00:00:00 GMT"

describe("the wait before a read is retried", () => {
  it.effect("starts at most at 200 ms without Retry-After, and doubles up to 10 s", () =>
    Effect.gen(function* () {
      const longest = [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]
      expect((yield* failedRead({ share: 1 }, longest.length)).waits).toEqual(longest)
    })
  )

  it.effect.each<readonly [retryAfter: string | undefined, share: number, waits: Array<number>]>([
    [undefined, 0.5, [100, 200]],
    [undefined, 0, [0, 0]],
    ["1", 0, [1000, 1000]],
    ["60", 0, [60_000, 60_000]],
    [inTwentySeconds, 0, [20_000, 20_000]],
    // So that clients do not retry all at once.
    ["7", 0.5, [7100, 7200]],
    ["7", 1, [7200, 7400]],
    ["0", 1, [200, 400]],
    [past, 1, [200, 400]],
    ["61", 0, []]
  ])("is random, and added to a Retry-After of up to a minute: %s", ([value, share, expected]) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const headers = value === undefined ? {} : { "retry-after": value }
      expect((yield* failedRead({ headers, share }, 2)).waits).toEqual(expected)
    })
  )
})

describe("the error has the seconds of a Retry-After", () => {
  it.effect.each<readonly [value: string, seconds: number | undefined]>([
    ["7", 7],
    [inTwentySeconds, 20],
    [past, 0],
    ["Thursday, 01-Jan-26 00:00:20 GMT", 20],
    ["Thu Jan  1 00:00:20 2026", 20],
    ["Wednesday, 30-Dec-99 08:49:37 GMT", 0],
    ...["soon", "-1", "1.5", "", "Thu", "Thursday, GMT", "Thu Jan", "0x10", "9".repeat(40)].map(
      (value) => [value, undefined] as const
    )
  ])("%j", ([value, seconds]) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const { error } = yield* failedRead({ headers: { "retry-after": value } }, 0)
      expect(error).toMatchObject({ _tag: "UndocumentedStatus", status: 503 })
      expect("retryAfterSeconds" in error ? error.retryAfterSeconds : undefined).toBe(seconds)
    })
  )
})
