/**
 * Slices overlap under one window of requests in flight.
 */
import { describe, expect, it } from "@effect/vitest"
import { Campaign, type CampaignOptions } from "@messaging-topup/campaign"
import * as core from "@messaging-topup/core"
import { JournalUnavailable, layerMemory, SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { runs } from "../support/Runs.ts"
import { counts, none, rowOf } from "./support/Rows.ts"

const operation = "sendSms"

const failures = {
  "not-sent": new core.ConnectionFailed({ operation }),
  busy: new core.UndocumentedStatus({ operation, status: 429, body: "" }),
  unknown: new core.ConnectionLost({ operation }),
  rejected: new core.NotFound({ operation, error: {} })
}

/** How the service responds to a request, and after how long. */
interface Response {
  readonly millis: number
  readonly fails?: keyof typeof failures | undefined
}

/** A service that gives the n-th request the n-th response, and counts requests. */
const serviceOf = (responseTo: (index: number) => Response) => {
  /** The requests that may have gone out: no later request may have the same text. */
  const gone = new Set<string>()
  const twice = new Array<string>()
  const accepted = new Array<string>()
  let inFlight = 0
  let most = 0
  let requests = 0
  const sendSms = Effect.fnUntraced(function* ({ message }: core.SendSmsRequest) {
    const { fails, millis } = responseTo(requests++)
    if (gone.has(message)) twice.push(message)
    inFlight++
    most = Math.max(most, inFlight)
    yield* Effect.sleep(millis)
    inFlight--
    if (fails === undefined || fails === "unknown") gone.add(message)
    if (fails !== undefined) return yield* Effect.fail(failures[fails])
    accepted.push(message)
    return { success: true, status: 202, message: "", data: [] }
  })
  return {
    accepted,
    layer: Layer.mock(core.MessagingTopup, { sendSms }),
    most: () => most,
    twice
  }
}

/** Loads slices of the given sizes. */
const slicesOf = (sizes: ReadonlyArray<number>) =>
  Effect.forEach(sizes, (size, slice) =>
    Campaign.load(
      "c",
      Stream.fromIterable(Array.from({ length: size }, (_, index) => rowOf(slice * 100 + index)))
    )
  )

/** Lets time pass until the fiber ends. */
const passUntilOver = Effect.fnUntraced(function* <A, E>(fiber: Fiber.Fiber<A, E>) {
  while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("100 millis")
  return yield* Fiber.join(fiber)
})

const resume = (options: CampaignOptions) => Stream.runDrain(Campaign.resume("c", options))

/** A connection to the journal on which the n-th turn fails before or after it is written. */
const journalWith = (faults: ReadonlyArray<"none" | "before" | "after">) =>
  Effect.map(SendJournal, (journal) => {
    let turns = 0
    const error = new JournalUnavailable({ problem: "unreachable" })
    return SendJournal.of({
      ...journal,
      exchange: Effect.fnUntraced(function* (attempt, turn) {
        const fault = faults[turns++ % faults.length]
        if (fault === "before") return yield* error
        const claimed = yield* journal.exchange(attempt, turn)
        return fault === "after" ? yield* error : claimed
      })
    })
  })

const cases = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 }),
  concurrency: fc.integer({ min: 1, max: 9 }),
  responses: fc.array(
    fc.record({
      millis: fc.oneof(fc.integer({ min: 0, max: 99 }), fc.constant(5000)),
      fails: fc.option(fc.constantFrom("not-sent", "busy", "unknown", "rejected"), {
        nil: undefined,
        freq: 2
      })
    }),
    { minLength: 1, maxLength: 20 }
  ),
  // The last turn succeeds, so that each case ends.
  faults: fc
    .array(fc.constantFrom("none", "before", "after"), { maxLength: 9 })
    .map((faults) => [...faults, "none"] as const),
  /** How the runs before the last one end, and when. */
  stops: fc.array(
    fc.record({
      how: fc.constantFrom("pause", "interrupt"),
      millis: fc.integer({ min: 1, max: 9000 })
    }),
    { maxLength: 3 }
  )
})

type Case = typeof cases extends fc.Arbitrary<infer A> ? A : never

const check = Effect.fnUntraced(function* (given: Case) {
  const { concurrency, faults, responses, sizes, stops } = given
  // A service that never accepts would pause the campaign for ever.
  const service = serviceOf((index) => responses[index % (responses.length + 1)] ?? { millis: 9 })
  const journal = yield* journalWith(faults)
  yield* slicesOf(sizes)
  const run = resume({ concurrency, maxPause: "3 seconds" }).pipe(
    Effect.provide(service.layer),
    Effect.provideService(SendJournal, journal)
  )
  for (const { how, millis } of stops) {
    const running = yield* Effect.forkChild(run)
    yield* TestClock.adjust(millis)
    const stop = how === "pause" ? Campaign.pause("c") : Fiber.interrupt(running)
    yield* passUntilOver(yield* Effect.forkChild(stop))
    yield* passUntilOver(yield* Effect.forkChild(Fiber.await(running)))
    expect((yield* counts).attempting).toBe(0)
  }
  // It pauses itself after too many failures.
  while ((yield* counts).pending > 0) yield* passUntilOver(yield* Effect.forkChild(run))
  const { attempting, sent, ...others } = yield* counts
  const rows = sizes.reduce((sum, size) => sum + size, 0)
  expect(service.twice).toEqual([])
  expect(service.most()).toBeLessThanOrEqual(concurrency)
  expect({ attempting, sent }).toEqual({ attempting: 0, sent: service.accepted.length })
  expect(sent + others.rejected + others.unknown).toBe(rows)
})

describe("slices that are open at the same time", () => {
  it.effect("one slow response does not hold up the other slices", () =>
    Effect.gen(function* () {
      const { accepted, layer } = serviceOf((index) => ({ millis: index === 1 ? 20_000 : 50 }))
      yield* slicesOf([10, 10, 10])
      const running = yield* Effect.forkChild(Effect.provide(resume({ concurrency: 4 }), layer))
      for (let step = 0; step < 50; step++) yield* TestClock.adjust("100 millis")
      expect(accepted).toHaveLength(29)
      yield* passUntilOver(running)
      expect(yield* counts).toEqual({ ...none, sent: 30 })
    }).pipe(Effect.provide(layerMemory))
  )

  it("send each row once under one window, whatever the service and the journal do", async () => {
    await fc.assert(
      fc.asyncProperty(cases, (given) =>
        Effect.runPromise(
          check(given).pipe(Effect.provide([Layer.fresh(layerMemory), TestClock.layer()]))
        )
      ),
      { numRuns: runs(100) }
    )
  }, 120_000)
})
