/**
 * Several runs of one campaign at once, on journals and services that fail.
 */
import { describe, expect, it } from "@effect/vitest"
import {
  JournalUnavailable,
  layerMemory,
  sendMany,
  type SendManyOptions
} from "@messaging-topup/journal"
import * as core from "@messaging-topup/core"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { acceptance } from "../harness/Contract.ts"
import { isFull, runs } from "../harness/Runs.ts"
import { counts, none, pass, passUntilOver, rows } from "../harness/campaign/Rows.ts"

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
  /** How often each text may have gone out. */
  const gone = new Map<string, number>()
  const accepted = new Array<string>()
  let inFlight = 0
  let most = 0
  let requests = 0
  const sendSms = Effect.fnUntraced(function* ({ message }: core.SendSmsRequest) {
    const { fails, millis } = responseTo(requests++)
    inFlight++
    most = Math.max(most, inFlight)
    yield* Effect.sleep(millis)
    inFlight--
    if (fails === undefined || fails === "unknown") gone.set(message, (gone.get(message) ?? 0) + 1)
    if (fails !== undefined) return yield* Effect.fail(failures[fails])
    accepted.push(message)
    return acceptance
  })
  return {
    accepted,
    gone,
    layer: Layer.mock(core.MessagingTopup, { sendSms, timeoutMillis: 30_000 }),
    most: () => most
  }
}

const send = (count: number, options: Partial<SendManyOptions> = {}) =>
  sendMany(rows(count), { campaign: "c", ...options })

/** A connection to the journal on which the n-th batch fails before or after it is written. */
const journalWith = (faults: ReadonlyArray<"none" | "before" | "after">) =>
  Effect.map(SendJournal, (journal) => {
    let batches = 0
    const error = new JournalUnavailable({ problem: "unreachable" })
    const { write } = journal.campaigns
    return SendJournal.of({
      ...journal,
      campaigns: {
        ...journal.campaigns,
        write: Effect.fnUntraced(function* (campaign, batch) {
          const fault = faults[batches++ % faults.length]
          if (fault === "before") return yield* Effect.fail(error)
          const claimed = yield* write(campaign, batch)
          return fault === "after" ? yield* Effect.fail(error) : claimed
        })
      }
    })
  })

const cases = fc.record({
  count: fc.integer({ min: 1, max: 60 }),
  processes: fc.integer({ min: 1, max: 3 }),
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
  // The last batch succeeds, so that each case ends.
  faults: fc
    .array(fc.constantFrom("none", "before", "after"), { maxLength: 9 })
    .map((faults) => [...faults, "none"] as const),
  /** When the runs before the last ones are interrupted. */
  stops: fc.array(fc.integer({ min: 1, max: 9000 }), { maxLength: 3 }),
  /** Whether a person frees the unknown rows after each of these runs. */
  frees: fc.boolean()
})

type Case = typeof cases extends fc.Arbitrary<infer A> ? A : never

const check = Effect.fnUntraced(function* (given: Case) {
  const { concurrency, count, faults, frees, processes, responses, stops } = given
  // A service that never accepts would stop the campaign for ever.
  const service = serviceOf((index) => responses[index % (responses.length + 1)] ?? { millis: 9 })
  const { resolve } = yield* SendJournal
  /** Each process has its own connection. */
  const run = Effect.gen(function* () {
    const journal = yield* journalWith(faults)
    return yield* send(count, { concurrency }).pipe(
      Effect.provide(service.layer),
      Effect.provideService(SendJournal, journal)
    )
  })
  const together = Effect.all(
    Array.from({ length: processes }, () => run),
    {
      concurrency: "unbounded"
    }
  )
  let freed = 0
  for (const millis of stops) {
    const running = yield* Effect.forkChild(together)
    yield* TestClock.adjust(millis)
    yield* passUntilOver(yield* Effect.forkChild(Fiber.interrupt(running)))
    expect((yield* counts)["in-flight"]).toBe(0)
    if (frees) freed += (yield* resolve({ campaign: "c" }, "resend")).changed
  }
  // A run stops itself after too many failures, and waits for no others that take long.
  let results = yield* passUntilOver(yield* Effect.forkChild(together))
  while (results.some(({ rows: { inFlight, notSent } }) => inFlight + notSent > 0)) {
    results = yield* passUntilOver(yield* Effect.forkChild(together))
  }
  const { rejected, sent, unknown } = yield* counts
  for (const { rows: found } of results) {
    expect(found).toEqual({ ...none, sent, rejected, unknown })
  }
  expect(sent + rejected + unknown).toBe(count)
  // Only what a person frees goes out once more.
  const twice = [...service.gone.values()].reduce((sum, times) => sum + times - 1, 0)
  expect(twice).toBeLessThanOrEqual(freed)
  expect(service.most()).toBeLessThanOrEqual(concurrency * processes)
  expect(new Set(service.accepted).size).toBe(sent)
})

describe("several runs of one campaign", () => {
  it("send each row once and count alike, whatever the service and the journal do", async () => {
    await fc.assert(
      fc.asyncProperty(cases, (given) =>
        Effect.runPromise(
          check(given).pipe(Effect.provide([Layer.fresh(layerMemory), TestClock.layer()]))
        )
      ),
      { numRuns: runs(100) }
    )
  })

  it.effect.skipIf(isFull)("share the rows: each sends about half of them", () =>
    Effect.gen(function* () {
      const { layer } = serviceOf(() => ({ millis: 20 }))
      const both = Effect.all([send(800), send(800)], { concurrency: 2 })
      const running = yield* Effect.forkChild(Effect.provide(both, layer))
      const results = yield* passUntilOver(running)
      const shares = results.map(({ sentNow }) => sentNow)
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(800)
      for (const share of shares) expect(share).toBeGreaterThan(200)
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect.skipIf(isFull)(
    "of two names and one text write to nobody twice, and each tells what it left out",
    () =>
      Effect.gen(function* () {
        const { gone, layer } = serviceOf(() => ({ millis: 20 }))
        const lists = ["one", "other"].map((campaign) =>
          send(300, { campaign, allowRepeats: false })
        )
        const running = yield* Effect.forkChild(
          Effect.provide(Effect.all(lists, { concurrency: 2 }), layer)
        )
        const results = yield* passUntilOver(running)
        expect(gone.size).toBe(300)
        expect(new Set(gone.values())).toEqual(new Set([1]))
        for (const { rows: found } of results) {
          expect(found).toEqual({ ...none, sent: found.sent, repeated: 300 - found.sent })
        }
      }).pipe(Effect.provide(layerMemory))
  )

  it.effect.skipIf(isFull)("one slow response does not hold up the other rows", () =>
    Effect.gen(function* () {
      const { accepted, layer } = serviceOf((index) => ({ millis: index === 1 ? 20_000 : 50 }))
      const running = yield* Effect.forkChild(Effect.provide(send(400, { concurrency: 40 }), layer))
      yield* pass(10)
      expect(accepted).toHaveLength(399)
      expect((yield* passUntilOver(running)).sentNow).toBe(400)
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect.skipIf(isFull)(
    "a run leaves the rows of a dead process, and the next one tells that they are unknown",
    () =>
      Effect.gen(function* () {
        const { campaigns, describe: described, identify } = yield* SendJournal
        const { accepted, layer } = serviceOf(() => ({ millis: 5 }))
        yield* Effect.provide(campaigns.begin("c"), layer)
        const claim = [3, 4].map((index) => {
          const request = { recipient: `+1555${1000 + index}7`, message: `Hello ${index}` }
          const known = identify({ campaign: "c", key: `k${index}` }, request)
          return { ...described(known, request), attempt: 0, mayRepeat: true }
        })
        const batch = { settle: [], claim, ticket: "dead", timeoutMillis: 2000 }
        yield* campaigns.write("c", batch)
        const waits = new Array<number>()
        const running = yield* send(10, {
          onEvent: (event) =>
            Effect.sync(() => {
              if (event._tag === "WaitingForOthers") waits.push(event.rows)
            })
        }).pipe(Effect.provide(layer), Effect.forkChild)
        yield* pass(2.9)
        expect(running.pollUnsafe()).toBeUndefined()
        yield* pass(0.9)
        const { inFlightUntil = 0, rows: found } = yield* Fiber.join(running)
        expect(found).toMatchObject({ sent: 8, unknown: 0, inFlight: 2, notSent: 0 })
        expect(accepted).toHaveLength(8)
        expect(waits).toEqual([2])
        yield* TestClock.setTime(inFlightUntil)
        const { rows: later } = yield* Effect.provide(send(10), layer)
        expect(later).toMatchObject({ sent: 8, unknown: 2, inFlight: 0 })
        expect(accepted).toHaveLength(8)
      }).pipe(Effect.provide(layerMemory))
  )
})
