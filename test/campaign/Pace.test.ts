import { describe, expect, it } from "@effect/vitest"
import { Campaign, type CampaignEvent, type CampaignOptions } from "@messaging-topup/campaign"
import { MessagingTopup, UndocumentedStatus } from "@messaging-topup/core"
import { layerMemory, SendJournal } from "@messaging-topup/journal"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
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
    const { requests } = yield* Sandbox
    const fiber = yield* Effect.forkChild(running)
    for (let step = 0; step < 1000; step++) {
      yield* settled
      yield* TestClock.adjust("10 millis")
    }
    yield* settled
    const { length } = yield* requests()
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

  it.effect("holds rows back before they are claimed: as long as they wait, they are pending", () =>
    Effect.gen(function* () {
      yield* Campaign.load("c", rows(10))
      const options = { messagesPerSecond: 1, accountMessagesPerSecond: 50 }
      const running = yield* Effect.forkChild(Stream.runDrain(Campaign.resume("c", options)))
      for (let step = 0; step < 35; step++) {
        yield* settled
        yield* TestClock.adjust("100 millis")
      }
      yield* settled
      const { counts } = yield* Campaign.status("c")
      expect(counts).toMatchObject({ attempting: 0, pending: 6, sent: 4 })
      yield* Fiber.interrupt(running)
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

/** The clock of the test. Its wall clock can be set; timers do not change. */
const settableClock = Effect.map(Clock.Clock, (clock) => {
  let offset = 0
  const millis = () => clock.currentTimeMillisUnsafe() + offset
  const settable: Clock.Clock = {
    ...clock,
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis)
  }
  return { clock: settable, set: (hours: number) => (offset = hours * 3_600_000) }
})

/** A service that is busy at the second request, and responds to the third one while the others wait. */
const busyAtSecond = () => {
  let requests = 0
  const sendSms = Effect.fnUntraced(function* () {
    const index = requests++
    const busy = { operation: "sendSms", status: 429, body: "", retryAfterSeconds: 30 } as const
    if (index === 1) return yield* Effect.fail(new UndocumentedStatus(busy))
    if (index === 2) yield* Effect.sleep("20 seconds")
    return { success: true, status: 202, message: "", data: [] }
  })
  return { layer: Layer.mock(MessagingTopup, { sendSms }), requests: () => requests }
}

describe("a pause", () => {
  it.effect.each([48, -48])(
    "is as long as the service asks for, though the wall clock is set by %d hours",
    (hours) =>
      Effect.gen(function* () {
        const { layer, requests } = busyAtSecond()
        const { clock, set } = yield* settableClock
        const waiting = yield* Deferred.make<number>()
        yield* TestClock.setTime(Date.parse("2026-01-10T12:00:00Z"))
        const running = Campaign.run("c", rows(5)).pipe(
          Stream.runForEach((event) =>
            event._tag === "Waiting" ? Deferred.succeed(waiting, event.until) : Effect.void
          ),
          Effect.provide(layer),
          Effect.provideService(Clock.Clock, clock)
        )
        const fiber = yield* Effect.forkChild(running)
        expect(yield* Deferred.await(waiting)).toBe(Date.parse("2026-01-10T12:00:30Z"))
        set(hours)
        yield* TestClock.adjust("29 seconds")
        expect(requests()).toBe(3)
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(fiber)
        expect(requests()).toBe(6)
      }).pipe(Effect.provide(layerMemory))
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
      const { messages } = yield* Sandbox
      const waiting = yield* Deferred.make<CampaignEvent>()
      yield* TestClock.setTime(Date.parse(now))
      const running = yield* Campaign.run("c", rows(3), { quietHours }).pipe(
        Stream.runForEach((event) =>
          event._tag === "Waiting" ? Deferred.succeed(waiting, event) : Effect.void
        ),
        Effect.forkChild
      )
      expect(yield* Deferred.await(waiting)).toEqual({
        _tag: "Waiting",
        why: "quiet-hours",
        until: Date.parse(end)
      })
      yield* settled
      yield* TestClock.setTime(Date.parse(end) - 1)
      expect(yield* messages()).toEqual([])
      yield* TestClock.adjust(1)
      yield* Fiber.join(running)
      expect(yield* messages()).toHaveLength(3)
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
    [{ accountMessagesPerSecond: -1 }, "accountMessagesPerSecond"],
    [{ accountSegmentsPerSecond: 0 }, "accountSegmentsPerSecond"],
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
