import { describe, expect, it } from "@effect/vitest"
import { Campaign, type CampaignEvent, type CampaignOptions } from "@messaging-topup/campaign"
import { ConnectionFailed, MessagingTopup } from "@messaging-topup/core"
import { layerMemory, SendJournal } from "@messaging-topup/journal"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { setImmediate } from "node:timers/promises"
import { counts, none, rowOf, rows } from "./support/Rows.ts"
import { inMemory } from "./support/Service.ts"

const eventsOf = <E, R>(stream: Stream.Stream<CampaignEvent, E, R>) => Stream.runCollect(stream)

const run = (count: number, options: CampaignOptions = {}) =>
  eventsOf(Campaign.run("c", rows(count), options))

/** Loads slices of two rows each. */
const smallSlices = (count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, slice) => slice * 2),
    (first) => Campaign.load("c", Stream.make(rowOf(first), rowOf(first + 1)))
  )

const texts = Effect.flatMap(Sandbox, ({ messages }) =>
  Effect.map(messages(), (sms) => sms.map(({ message }) => message))
)

describe("a campaign", () => {
  it.effect("sends each row once, and ends with the counts", () =>
    Effect.gen(function* () {
      const events = yield* run(1200)
      expect(events[0]).toEqual({ _tag: "Loaded", rows: 1200 })
      expect(events.at(-1)).toEqual({
        _tag: "Ended",
        state: "running",
        counts: { ...none, sent: 1200 }
      })
      const sent = yield* texts
      expect(sent).toHaveLength(1200)
      expect(new Set(sent).size).toBe(1200)
      const results = yield* Stream.runCollect(Campaign.results("c", { state: "sent" }))
      expect(results).toHaveLength(1200)
      expect(results[0]).toMatchObject({ key: "k0", message_id: expect.any(String) })
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("sends nothing twice when it runs again", () =>
    Effect.gen(function* () {
      yield* run(10)
      const events = yield* run(12)
      expect(events.at(-1)).toMatchObject({ counts: { sent: 12 } })
      expect(yield* texts).toHaveLength(12)
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("leaves every row in the documented state for each response of the service", () =>
    Effect.gen(function* () {
      const ends = ["0400", "0404", "0500", "0900", "0902", "0502", "7"]
      const mixed = Stream.fromIterable(ends.map((end, index) => rowOf(index, end)))
      const events = yield* eventsOf(Campaign.run("c", mixed))
      expect(events.at(-1)).toMatchObject({
        counts: { ...none, sent: 2, rejected: 2, unknown: 3 }
      })
      const results = yield* Stream.runCollect(Campaign.results("c"))
      expect(results.map(({ info, state }) => `${state} ${info ?? ""}`.trim())).toEqual([
        "rejected InvalidRequest 400",
        "rejected NotFound 404",
        "unknown InternalServerError 500",
        "unknown ConnectionLost",
        "sent InvalidResponse 202",
        "unknown UndocumentedStatus 502",
        "sent"
      ])
    }).pipe(Effect.provide(inMemory))
  )
})

describe("a campaign stops", () => {
  it.effect.each([
    ["0401", "AuthenticationFailed"],
    ["0402", "PaymentRequired"],
    ["0403", "InsufficientPermissions"]
  ] as const)("after a response that every further row would meet too: %s", ([end, reason]) =>
    Effect.gen(function* () {
      const some = Stream.concat(
        Stream.make(rowOf(0), rowOf(1, end)),
        Stream.map(Stream.range(2, 99), (index) => rowOf(index))
      )
      const events = yield* eventsOf(Campaign.run("c", some, { concurrency: 2 }))
      expect(events).toContainEqual({ _tag: "Stopped", reason })
      expect(events.at(-1)).toMatchObject({ state: "paused" })
      const { pending, sent } = yield* counts
      expect(sent).toBeLessThan(5)
      expect(sent + pending).toBe(100)
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("after such a status with an undocumented body, and the row is unknown", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      yield* sandbox.setFault({ fault: "Response", status: 402, body: "" })
      const events = yield* run(100, { concurrency: 2 })
      expect(events).toContainEqual({ _tag: "Stopped", reason: "PaymentRequired" })
      const { pending, unknown } = yield* counts
      expect(unknown).toBeLessThanOrEqual(2)
      expect(unknown + pending).toBe(100)
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("after the maximum of failures in a row", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      yield* sandbox.setFault({ fault: "Response", status: 500, body: "" })
      const events = yield* run(100, { concurrency: 1, maxFailuresInARow: 3 })
      expect(events).toContainEqual({ _tag: "Stopped", reason: "FailuresInARow" })
      expect(yield* counts).toEqual({ ...none, unknown: 3, pending: 97 })
      yield* sandbox.clearFault
      yield* eventsOf(Campaign.resume("c"))
      expect(yield* counts).toEqual({ ...none, unknown: 3, sent: 97 })
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("after the maximum of failures in a row, counted over small slices", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      yield* smallSlices(5)
      yield* sandbox.setFault({ fault: "Response", status: 500, body: "" })
      const events = yield* eventsOf(Campaign.resume("c", { concurrency: 1, maxFailuresInARow: 3 }))
      expect(events).toContainEqual({ _tag: "Stopped", reason: "FailuresInARow" })
      expect(yield* counts).toEqual({ ...none, unknown: 3, pending: 7 })
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("while it is paused, and permanently once it is cancelled", () =>
    Effect.gen(function* () {
      yield* Campaign.load("c", rows(3))
      expect(yield* Campaign.pause("c")).toBe("paused")
      expect(yield* Campaign.status("c")).toMatchObject({ state: "paused" })
      yield* Campaign.cancel("c")
      const events = yield* eventsOf(Campaign.resume("c"))
      expect(events).toEqual([
        { _tag: "Ended", state: "cancelled", counts: { ...none, rejected: 3 } }
      ])
      expect(yield* texts).toEqual([])
    }).pipe(Effect.provide(inMemory))
  )
})

describe("while the service is busy", () => {
  it.effect("the campaign waits, however often the service responds 429", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      yield* sandbox.setFault({ fault: "Response", status: 429, body: "", times: 10 })
      const running = yield* Effect.forkChild(run(5, { concurrency: 1, maxFailuresInARow: 3 }))
      while (running.pollUnsafe() === undefined) {
        yield* TestClock.adjust("1 minute")
        yield* Effect.promise(() => setImmediate())
      }
      yield* Fiber.join(running)
      expect(yield* counts).toEqual({ ...none, sent: 5 })
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("the campaign pauses after five minutes without a connection", () => {
    const refused = new ConnectionFailed({ operation: "sendSms" })
    return Effect.gen(function* () {
      const running = yield* Effect.forkChild(run(5, { maxFailuresInARow: 3 }))
      const pass = Effect.fnUntraced(function* (seconds: number) {
        for (let step = 0; step < seconds; step++) {
          yield* TestClock.adjust("1 second")
          yield* Effect.promise(() => setImmediate())
        }
      })
      yield* pass(290)
      expect(running.pollUnsafe()).toBeUndefined()
      yield* pass(20)
      const events = yield* Fiber.join(running)
      expect(events).toContainEqual({ _tag: "Stopped", reason: "NoConnection" })
      expect(events.find(({ _tag }) => _tag === "Waiting")).toMatchObject({ why: "no-connection" })
      expect(yield* counts).toEqual({ ...none, pending: 5 })
    }).pipe(
      Effect.provide([
        layerMemory,
        Layer.mock(MessagingTopup, { sendSms: () => Effect.fail(refused) })
      ])
    )
  })

  it.effect("the campaign waits as long as Retry-After says, then starts slowly", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const headers = { "retry-after": "30" }
      yield* sandbox.setFault({ fault: "Response", status: 429, headers, times: 1 })
      const running = yield* Effect.forkChild(run(100, { concurrency: 5 }))
      yield* sandbox.until(({ requests }) => requests.length >= 1)
      yield* TestClock.adjust("29 seconds")
      expect(yield* sandbox.requests()).toHaveLength(1)
      yield* TestClock.adjust("2 seconds")
      const events = yield* Fiber.join(running)
      expect(events.filter(({ _tag }) => _tag === "Waiting")).toEqual([
        { _tag: "Waiting", why: "slow-down", until: 30_000 }
      ])
      expect(yield* counts).toEqual({ ...none, sent: 100 })
    }).pipe(Effect.provide(inMemory))
  )
})

describe("attempts at one slice", () => {
  it.effect("send each row once, though they run at the same time", () =>
    Effect.gen(function* () {
      yield* Campaign.load("c", rows(100))
      const [slice = 0] = yield* Effect.flatMap(SendJournal, (journal) => journal.openSlices("c"))
      yield* Effect.all(
        Array.from({ length: 4 }, () => Campaign.runSlice(slice, { concurrency: 3 })),
        { concurrency: "unbounded" }
      )
      yield* eventsOf(Campaign.resume("c"))
      const arrived = yield* texts
      expect(new Set(arrived).size).toBe(arrived.length)
      const { sent, unknown } = yield* counts
      expect(sent + unknown).toBe(100)
    }).pipe(Effect.provide(inMemory))
  )
})

/** A queue that loses retries, as if the lock of each failed job had expired. */
const withoutRetries = PersistedQueue.layer.pipe(
  Layer.provide(
    Layer.effect(
      PersistedQueue.PersistedQueueStore,
      Effect.map(PersistedQueue.PersistedQueueStore, (store) =>
        PersistedQueue.PersistedQueueStore.of({
          ...store,
          take: (options) =>
            store.take({ ...options, retryDelay: () => Effect.succeed(Duration.days(365)) })
        })
      )
    )
  ),
  Layer.provide(PersistedQueue.layerStoreMemory)
)

describe("workers", () => {
  it.effect(
    "stop after the maximum of failures in a row of a campaign, and count anew after its next offer",
    () =>
      Effect.gen(function* () {
        const sandbox = yield* Sandbox
        const stops = yield* Queue.unbounded<CampaignEvent>()
        const workers = Campaign.layerWorkers({
          concurrency: 1,
          maxFailuresInARow: 3,
          onEvent: (event) =>
            event._tag === "Stopped" ? Effect.asVoid(Queue.offer(stops, event)) : Effect.void
        })
        yield* Effect.forkScoped(Layer.launch(workers))
        yield* smallSlices(5)
        yield* sandbox.setFault({ fault: "Response", status: 500, body: "" })
        for (const unknown of [3, 6]) {
          expect(yield* Campaign.offer("c")).toBeGreaterThan(0)
          expect(yield* Queue.take(stops)).toEqual({ _tag: "Stopped", reason: "FailuresInARow" })
          expect(yield* Campaign.status("c")).toEqual({
            state: "paused",
            counts: { ...none, unknown, pending: 10 - unknown }
          })
        }
      }).pipe(Effect.scoped, Effect.provide([Campaign.layerQueueMemory, inMemory]))
  )

  it.effect("take the rows that a worker releases after another one has completed its job", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const thawed = yield* Deferred.make<void>()
      const frozen = Effect.fnUntraced(function* () {
        yield* Deferred.succeed(started, undefined)
        yield* Deferred.await(thawed)
        return yield* Effect.fail(new ConnectionFailed({ operation: "sendSms" }))
      })
      const accepting = () => Effect.succeed({ success: true, status: 202, message: "", data: [] })
      const launch = (sendSms: MessagingTopup["Service"]["sendSms"]) =>
        Effect.forkScoped(
          Layer.launch(
            Layer.provide(
              Layer.fresh(Campaign.layerWorkers()),
              Layer.mock(MessagingTopup, { sendSms })
            )
          )
        )
      const passUntil = Effect.fnUntraced(function* (wanted: Partial<typeof none>) {
        for (let step = 0; step < 100; step++) yield* TestClock.adjust("100 millis")
        expect(yield* counts).toEqual({ ...none, ...wanted })
      })
      yield* Campaign.load("c", rows(5))
      yield* Campaign.offer("c")
      const worker = yield* launch(frozen)
      yield* Deferred.await(started)
      // The slice is delivered again, as after the expiry of the frozen worker's lock.
      yield* Campaign.offer("c")
      yield* launch(accepting)
      yield* passUntil({ sent: 4, unknown: 1 })
      yield* Deferred.succeed(thawed, undefined)
      yield* passUntil({ sent: 5 })
      yield* Fiber.interrupt(worker)
    }).pipe(Effect.scoped, Effect.provide([withoutRetries, layerMemory]))
  )

  it.effect("get no campaign that the journal does not have", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Campaign.offer("nobody"))
      expect(error).toMatchObject({ _tag: "CampaignNotFound", campaign: "nobody" })
    }).pipe(Effect.provide([Campaign.layerQueueMemory, inMemory]))
  )
})
