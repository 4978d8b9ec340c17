import { expect, it } from "@effect/vitest"
import { Campaign, type CampaignEvent } from "@messaging-topup/campaign"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { DatabaseSync } from "node:sqlite"
import { setImmediate } from "node:timers/promises"
import { journalFile } from "../journal/support/Files.ts"
import { service } from "../journal/support/Service.ts"
import { counts, none, rows } from "./support/Rows.ts"
import { inMemory } from "./support/Service.ts"

const expectOnce = Effect.fnUntraced(function* (count: number) {
  const { messages } = yield* Sandbox
  const texts = (yield* messages()).map(({ message }) => message)
  expect(texts).toHaveLength(count)
  expect(new Set(texts).size).toBe(count)
})

const pass = Effect.fnUntraced(function* (seconds: number) {
  for (let step = 0; step < seconds * 10; step++) {
    yield* TestClock.adjust("100 millis")
    yield* Effect.promise(() => setImmediate())
  }
})

/**
 * Lets time pass until the fiber ends. Between the steps, the sandbox handles its requests, which run on
 * promises.
 */
const passUntilOver = Effect.fnUntraced(function* <A, E>(fiber: Fiber.Fiber<A, E>) {
  while (fiber.pollUnsafe() === undefined) yield* pass(1)
  return yield* Fiber.join(fiber)
})

it.effect(
  "when the journal is unavailable, sending stops and outcomes are kept until it is back",
  () =>
    Effect.gen(function* () {
      const file = yield* journalFile
      const test = Effect.gen(function* () {
        const sandbox = yield* Sandbox
        const events = new Array<CampaignEvent["_tag"]>()
        yield* Campaign.load("c", rows(300))
        const other = new DatabaseSync(file)
        yield* Effect.addFinalizer(() => Effect.sync(() => other.close()))
        let sent = 0
        const lockOnceItSends = (event: CampaignEvent) =>
          Effect.sync(() => {
            events.push(event._tag)
            if (event._tag !== "Settled") return
            // By then, the window is open.
            if (sent < 20 && sent + event.sent >= 20) other.exec("begin immediate")
            sent += event.sent
          })
        const running = yield* Effect.forkChild(
          Stream.runForEach(Campaign.resume("c", { concurrency: 10 }), lockOnceItSends)
        )
        yield* sandbox.until(({ requests }) => requests.length >= 20)
        yield* pass(30)
        expect(events).toContain("JournalLost")
        const { length } = yield* sandbox.requests()
        expect(length).toBeLessThanOrEqual(50)
        yield* pass(30)
        expect(yield* sandbox.requests()).toHaveLength(length)
        expect(events).not.toContain("JournalBack")
        other.exec("rollback")
        yield* passUntilOver(running)
        expect(events).toContain("JournalBack")
        expect(yield* counts).toEqual({ ...none, sent: 300 })
        yield* expectOnce(300)
      })
      yield* Effect.provide(Effect.scoped(test), Layer.merge(Sqlite.layer(file), service))
    })
)

it.effect("an interruption waits for the requests in flight, and resume sends the other rows", () =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox
    yield* Campaign.load("c", rows(100))
    const running = yield* Effect.forkChild(
      Stream.runDrain(Campaign.resume("c", { concurrency: 10 }))
    )
    yield* sandbox.until(({ requests }) => requests.length >= 20)
    yield* sandbox.setFault({ fault: "NoResponse", accept: true, times: 3 })
    yield* sandbox.until(({ requests }) => requests.length >= 40)
    const ending = yield* Effect.forkChild(Fiber.interrupt(running))
    // The three requests without a response end at their time-out.
    yield* TestClock.adjust("31 seconds")
    yield* Fiber.join(ending)
    const stopped = yield* counts
    expect(stopped).toMatchObject({ attempting: 0, unknown: 3, rejected: 0 })
    expect(stopped.pending).toBeGreaterThan(0)
    yield* Stream.runDrain(Campaign.resume("c"))
    expect(yield* counts).toEqual({ ...none, sent: 97, unknown: 3 })
    yield* expectOnce(100)
  }).pipe(Effect.provide(inMemory))
)

/** Sets the wall clock off by some hours; timers do not change. */
const clockOff = (hours: number) =>
  Effect.sync(() => {
    Date.now = () => realNow() + hours * 3_600_000
  })

const realNow = Date.now

it.live("when the clock jumps forward or back, each row is sent once", () =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox
    yield* Campaign.load("c", rows(200))
    const options = { concurrency: 4, messagesPerSecond: 200 }
    const running = yield* Effect.forkChild(Stream.runDrain(Campaign.resume("c", options)))
    yield* sandbox.until(({ requests }) => requests.length >= 20)
    yield* clockOff(48)
    yield* sandbox.until(({ requests }) => requests.length >= 60)
    yield* clockOff(-1)
    yield* sandbox.until(({ requests }) => requests.length >= 100)
    yield* clockOff(0)
    yield* Fiber.join(running)
    expect(yield* counts).toEqual({ ...none, sent: 200 })
    yield* expectOnce(200)
  }).pipe(Effect.provide(inMemory), Effect.ensuring(clockOff(0)))
)

it.effect("rows of unknown outcome wait for a person's decision, which can be a resend", () =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox
    yield* sandbox.setFault({ fault: "ResetAfterAcceptance", times: 3 })
    yield* Stream.runDrain(Campaign.run("c", rows(10), { concurrency: 1 }))
    expect(yield* counts).toEqual({ ...none, sent: 7, unknown: 3 })
    expect(yield* Campaign.resolveUnknown("c", "sent", { keys: ["k0", "k9"] })).toEqual({
      rows: 1,
      refused: []
    })
    expect(yield* Campaign.resolveUnknown("c", "resend", { keys: ["k1"] })).toEqual({
      rows: 1,
      refused: []
    })
    expect(yield* Campaign.resolveUnknown("c", "rejected")).toEqual({ rows: 1, refused: [] })
    yield* Stream.runDrain(Campaign.resume("c"))
    expect(yield* counts).toEqual({ ...none, sent: 9, rejected: 1 })
    const texts = (yield* sandbox.messages()).map(({ message }) => message)
    expect(texts.filter((text) => text === "Hello 1")).toHaveLength(2)
    expect(yield* Effect.flip(Campaign.resolveUnknown("nobody", "resend"))).toMatchObject({
      _tag: "CampaignNotFound"
    })
  }).pipe(Effect.provide(inMemory))
)

it.effect("reconcile reads a status until it is final", () =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox
    yield* Stream.runDrain(Campaign.run("c", rows(30)))
    const isFinal = (status: string) => status === "SANDBOX_DELIVERED"
    const reconcile = Effect.gen(function* () {
      const running = yield* Effect.forkChild(
        Campaign.reconcile("c", { isFinal, readsPerSecond: 10 })
      )
      return yield* passUntilOver(running)
    })
    expect(yield* reconcile).toEqual({ read: 30, final: 0, failed: 0 })
    expect(yield* reconcile).toEqual({ read: 30, final: 30, failed: 0 })
    const { length } = yield* sandbox.requests()
    expect(yield* reconcile).toEqual({ read: 0, final: 0, failed: 0 })
    expect(yield* sandbox.requests()).toHaveLength(length)
    const results = yield* Stream.runCollect(Campaign.results("c"))
    expect(results[0]).toMatchObject({ status: "SANDBOX_DELIVERED", isFinal: true })
  }).pipe(Effect.provide(inMemory))
)
