/**
 * A setting that is wrong for all rows costs few requests, and no row.
 */
import { describe, expect, it } from "@effect/vitest"
import { Campaign, type CampaignOptions } from "@messaging-topup/campaign"
import { MessagingTopup, NotFound } from "@messaging-topup/core"
import { layerMemory } from "@messaging-topup/journal"
import { type Fault, Sandbox } from "@messaging-topup/sandbox"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { counts, none, rowOf, rows } from "./support/Rows.ts"
import { inMemory } from "./support/Service.ts"

const resume = (options: CampaignOptions = {}) => Stream.runCollect(Campaign.resume("c", options))

const received = Effect.flatMap(Sandbox, (sandbox) =>
  Effect.map(sandbox.requests(), ({ length }) => length)
)

const stopped = (info: string) => ({ _tag: "Stopped", reason: "NothingAccepted", info })

const notFound: Fault = {
  fault: "Response",
  status: 404,
  body: JSON.stringify({ error: {} })
}

describe("until the service has accepted an SMS", () => {
  it.effect("one request is in flight at a time", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      yield* Campaign.load("c", rows(100))
      yield* sandbox.setFault({ fault: "NoResponse", accept: false, times: 1 })
      const running = yield* Effect.forkChild(resume())
      yield* sandbox.until(({ requests }) => requests.length >= 1)
      yield* TestClock.adjust("20 seconds")
      expect(yield* received).toBe(1)
      yield* TestClock.adjust("11 seconds")
      yield* Fiber.join(running)
      expect(yield* counts).toEqual({ ...none, sent: 99, unknown: 1 })
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("five failures of one kind pause the campaign, and the rows stay pending", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      yield* Campaign.load("c", rows(100))
      yield* sandbox.setFault(notFound)
      const events = yield* resume()
      expect(events).toContainEqual(stopped("NotFound 404"))
      expect(events.at(-1)).toMatchObject({ state: "paused" })
      expect(yield* received).toBe(5)
      expect(yield* counts).toEqual({ ...none, pending: 100 })
      yield* sandbox.clearFault
      yield* resume()
      expect(yield* counts).toEqual({ ...none, sent: 100 })
    }).pipe(Effect.provide(inMemory))
  )

  it.effect(
    "a row that failed is pending while the next one is tried, so a crash makes it not unknown",
    () =>
      Effect.gen(function* () {
        const started = yield* Deferred.make<void>()
        let requests = 0
        const sendSms = Effect.fnUntraced(function* () {
          if (requests++ !== 3) return yield* Effect.fail(new NotFound({ operation: "sendSms" }))
          yield* Deferred.succeed(started, undefined)
          yield* Effect.sleep("20 seconds")
          return { success: true, status: 202, message: "", data: [] }
        })
        yield* Campaign.load("c", rows(4))
        const running = yield* Effect.forkChild(
          Effect.provide(resume(), Layer.mock(MessagingTopup, { sendSms }))
        )
        yield* Deferred.await(started)
        expect(yield* counts).toEqual({ ...none, attempting: 1, pending: 3 })
        yield* TestClock.adjust("20 seconds")
        yield* Fiber.join(running)
        expect(yield* counts).toEqual({ ...none, rejected: 3, sent: 1 })
      }).pipe(Effect.provide(layerMemory))
  )

  it.effect("five failures of unknown outcome pause it too, and these rows stay unknown", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      yield* Campaign.load("c", rows(100))
      yield* sandbox.setFault({ fault: "Response", status: 500, body: "" })
      expect(yield* resume()).toContainEqual(stopped("InvalidResponse 500"))
      expect(yield* counts).toEqual({ ...none, unknown: 5, pending: 95 })
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("rows that fail again after a person resumed are rejected: the rows are wrong", () =>
    Effect.gen(function* () {
      const ends = ["0404", "0404", "0404", "0404", "0404", "7", "7"]
      yield* Campaign.load("c", Stream.fromIterable(ends.map((end, index) => rowOf(index, end))))
      expect(yield* resume()).toContainEqual(stopped("NotFound 404"))
      expect(yield* counts).toEqual({ ...none, pending: 7 })
      yield* resume()
      expect(yield* counts).toEqual({ ...none, rejected: 5, sent: 2 })
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("other failures reject their rows once it is clear that the setting is right", () =>
    Effect.gen(function* () {
      const ends = ["0404", "0404", "0400", "0400", "0400", "0404", "7"]
      yield* Campaign.load("c", Stream.fromIterable(ends.map((end, index) => rowOf(index, end))))
      yield* resume()
      expect(yield* counts).toEqual({ ...none, rejected: 6, sent: 1 })
      const few = Stream.make(rowOf(10, "0404"), rowOf(11, "0404"))
      yield* Campaign.load("c", few)
      yield* resume()
      expect(yield* counts).toEqual({ ...none, rejected: 8, sent: 1 })
    }).pipe(Effect.provide(inMemory))
  )
})

describe("rejected rows can be taken up again", () => {
  it.effect("all of them, those of one reason, or those of the given keys", () =>
    Effect.gen(function* () {
      const ends = ["7", "0404", "0400", "0404"]
      yield* Campaign.load("c", Stream.fromIterable(ends.map((end, index) => rowOf(index, end))))
      yield* resume()
      expect(yield* counts).toEqual({ ...none, rejected: 3, sent: 1 })
      expect(yield* Campaign.retryRejected("c", { reason: "NotFound" })).toEqual({
        rows: 2,
        refused: []
      })
      expect(yield* counts).toEqual({ ...none, pending: 2, rejected: 1, sent: 1 })
      expect(yield* Campaign.retryRejected("c", { keys: ["k0", "k1", "nobody"] })).toEqual({
        rows: 0,
        refused: []
      })
      expect(yield* Campaign.retryRejected("c")).toEqual({ rows: 1, refused: [] })
      yield* resume()
      expect(yield* received).toBe(7)
      expect(yield* counts).toEqual({ ...none, rejected: 3, sent: 1 })
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("but not those of a cancelled campaign", () =>
    Effect.gen(function* () {
      yield* Campaign.load("c", rows(3))
      yield* Campaign.cancel("c")
      expect(yield* Campaign.retryRejected("c")).toEqual({ rows: 0, refused: [] })
      expect(yield* counts).toEqual({ ...none, rejected: 3 })
    }).pipe(Effect.provide(inMemory))
  )
})
