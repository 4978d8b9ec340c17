import { describe, expect, it } from "@effect/vitest"
import { Campaign, type CampaignOptions } from "@messaging-topup/campaign"
import { SendJournal } from "@messaging-topup/journal"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { setImmediate } from "node:timers/promises"
import { rows } from "./support/Rows.ts"
import { inMemory } from "./support/Service.ts"

/** Waits for requests in the sandbox, which run on promises, before more time passes. */
const settled = Effect.promise(async () => {
  for (let turn = 0; turn < 5; turn++) await setImmediate()
})

/** Runs an effect for ten seconds, and returns how many requests arrived. */
const inTenSeconds = <E, R>(running: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const { received } = yield* Sandbox
    const fiber = yield* Effect.forkChild(running)
    for (let step = 0; step < 1000; step++) {
      yield* settled
      yield* TestClock.adjust("10 millis")
    }
    yield* settled
    const { length } = yield* received
    // Rows that are already claimed are still sent.
    const ending = yield* Effect.forkChild(Fiber.interrupt(fiber))
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(ending)
    return length
  })

const run = (count: number, message: string, options: CampaignOptions) =>
  Stream.runDrain(Campaign.run("c", rows(count, message), options))

const twoSegments = "x".repeat(200)

describe("a rate", () => {
  it.effect.each([
    ["messages", "Hello", { messagesPerSecond: 20 }, 200],
    ["few messages", "Hello", { messagesPerSecond: 1 }, 10],
    ["many messages", "Hello", { messagesPerSecond: 100 }, 1000],
    ["segments", twoSegments, { segmentsPerSecond: 40 }, 200],
    ["the lower of two", twoSegments, { segmentsPerSecond: 40, messagesPerSecond: 100 }, 200]
  ] as const)("of %s holds within 2 % over 10 seconds", ([, message, options, expected]) =>
    Effect.gen(function* () {
      const sent = yield* inTenSeconds(run(1500, message, options))
      expect(Math.abs(sent - expected)).toBeLessThanOrEqual(Math.max(1, expected * 0.02))
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("is shared by all attempts on the same journal", () =>
    Effect.gen(function* () {
      yield* Campaign.load("c", rows(1000))
      const { openSlices } = yield* SendJournal
      const [one = 0, two = 0] = yield* openSlices("c")
      const both = Effect.all(
        [one, two].map((slice) => Campaign.runSlice(slice, { messagesPerSecond: 40 })),
        { concurrency: 2 }
      )
      const sent = yield* inTenSeconds(both)
      expect(Math.abs(sent - 400)).toBeLessThanOrEqual(8)
    }).pipe(Effect.provide(inMemory))
  )
})

describe("quiet hours", () => {
  const quietHours = { from: "21:00", to: "08:00", timeZone: "Europe/Paris" }

  it.effect.each([
    ["in winter", "2026-01-10T22:00:00Z", "2026-01-11T07:00:00Z"],
    ["in summer", "2026-07-10T22:00:00Z", "2026-07-11T06:00:00Z"],
    ["in the night in which the clocks go forward", "2026-03-28T22:00:00Z", "2026-03-29T06:00:00Z"],
    ["in the night in which the clocks go back", "2026-10-24T22:00:00Z", "2026-10-25T07:00:00Z"],
    ["after midnight", "2026-01-11T03:00:00Z", "2026-01-11T07:00:00Z"]
  ] as const)("end by local time: %s", ([, now, end]) =>
    Effect.gen(function* () {
      const { accepted } = yield* Sandbox
      yield* TestClock.setTime(Date.parse(now))
      const events = yield* Effect.forkChild(
        Stream.runCollect(Campaign.run("c", rows(3), { quietHours }))
      )
      yield* TestClock.setTime(Date.parse(end) - 1)
      expect(yield* accepted).toEqual([])
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(events)).toContainEqual({
        _tag: "Waiting",
        why: "quiet-hours",
        until: Date.parse(end)
      })
      expect(yield* accepted).toHaveLength(3)
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("do not delay sends at other times", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-01-10T12:00:00Z"))
      const events = yield* Stream.runCollect(Campaign.run("c", rows(3), { quietHours }))
      expect(events.map(({ _tag }) => _tag)).not.toContain("Waiting")
    }).pipe(Effect.provide(inMemory))
  )
})

describe("a wrong setting", () => {
  it.effect.each([
    [{ concurrency: 0 }, "concurrency"],
    [{ tries: 6 }, "tries"],
    [{ maxFailuresInARow: 1.5 }, "maxFailuresInARow"],
    [{ messagesPerSecond: 0 }, "messagesPerSecond"],
    [{ segmentsPerSecond: Number.NaN }, "segmentsPerSecond"],
    [{ quietHours: { from: "9", to: "10:00", timeZone: "UTC" } }, "quietHours.from"],
    [{ quietHours: { from: "09:00", to: "24:00", timeZone: "UTC" } }, "quietHours.to"],
    [{ quietHours: { from: "09:00", to: "09:00", timeZone: "UTC" } }, "quietHours.to"],
    [{ quietHours: { from: "09:00", to: "10:00", timeZone: "Mars/One" } }, "quietHours.timeZone"]
  ] as const)("is an InvalidInput that names it: %j", ([options, field]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(run(1, "Hello", options))
      expect(error).toMatchObject({ _tag: "InvalidInput", field })
    }).pipe(Effect.provide(inMemory))
  )
})
