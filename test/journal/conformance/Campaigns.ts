import { expect } from "@effect/vitest"
import { CampaignJournal, type RateTurn } from "@messaging-topup/journal"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { begun, rowsNamed, stateOf } from "./Slices.ts"

const stopping = {
  "a paused campaign begins no attempt, and its running attempt claims no more rows": Effect.gen(
    function* () {
      const campaigns = yield* CampaignJournal
      expect(yield* campaigns.state("c")).toBeUndefined()
      expect(yield* campaigns.pause("c")).toBeUndefined()
      const { attempt, ids, journal, slice } = yield* begun("a", "b")
      expect(yield* campaigns.state("c")).toBe("running")
      yield* journal.exchange(attempt, { settle: [], claim: ids.slice(0, 1) })
      expect(yield* campaigns.pause("c")).toBe("paused")
      expect(yield* journal.exchange(attempt, { settle: [], claim: ids.slice(1) })).toEqual([])
      const error = yield* Effect.flip(journal.begin(slice))
      expect(error).toMatchObject({ _tag: "CampaignStopped", state: "paused" })
      // The request in flight can still be settled.
      const settle = ids.slice(0, 1).map((id) => ({ id, outcome: "sent" }) as const)
      yield* journal.exchange(attempt, { settle, claim: [] })
      expect(yield* stateOf(slice)).toEqual(["sent", "pending"])
      expect(yield* journal.end(attempt)).toBe(false)
      expect(yield* campaigns.resume("c")).toBe("running")
      expect((yield* journal.begin(slice)).rows).toMatchObject([{ key: "b" }])
    }
  ),

  "a pause does not change the rows that an attempt claimed": Effect.gen(function* () {
    const campaigns = yield* CampaignJournal
    const { attempt, ids, journal, slice } = yield* begun("a")
    yield* journal.exchange(attempt, { settle: [], claim: ids })
    yield* campaigns.pause("c")
    expect(yield* stateOf(slice)).toEqual(["attempting"])
    yield* campaigns.resume("c")
    yield* journal.begin(slice)
    expect(yield* stateOf(slice)).toEqual(["unknown"])
  }),

  "a cancelled campaign has no pending rows, and stays cancelled": Effect.gen(function* () {
    const campaigns = yield* CampaignJournal
    const { attempt, ids, journal, slice } = yield* begun("a", "b", "c")
    yield* journal.append("other", rowsNamed("a"))
    yield* journal.exchange(attempt, { settle: [], claim: ids.slice(0, 2) })
    expect(yield* campaigns.cancel("c")).toBe("cancelled")
    expect(yield* stateOf(slice)).toEqual(["unknown", "unknown", "rejected"])
    expect(yield* journal.rows(slice)).toMatchObject([{}, {}, { info: "cancelled" }])
    expect(yield* journal.openSlices("c")).toEqual([])
    expect(yield* journal.openSlices("other")).toHaveLength(1)
    // The late outcomes of requests in flight count.
    const settle = [
      { id: ids[0] ?? 0, outcome: "sent" },
      { id: ids[1] ?? 0, outcome: "not-sent" }
    ] as const
    yield* journal.exchange(attempt, { settle, claim: [] })
    expect(yield* stateOf(slice)).toEqual(["sent", "rejected", "rejected"])
    expect(yield* campaigns.resume("c")).toBe("cancelled")
    expect(yield* Effect.flip(journal.begin(slice))).toMatchObject({ state: "cancelled" })
    expect(yield* campaigns.cancel("c")).toBe("cancelled")
  })
}

const reading = {
  "counts and pages cover the rows of one campaign, by state": Effect.gen(function* () {
    const campaigns = yield* CampaignJournal
    const { attempt, ids, journal } = yield* begun("a", "b", "c", "d")
    yield* journal.append("other", rowsNamed("a"))
    const outcomes = ["sent", "rejected", "unknown"] as const
    yield* journal.exchange(attempt, { settle: [], claim: ids.slice(0, 3) })
    const settle = outcomes.map((outcome, index) => ({
      id: ids[index] ?? 0,
      outcome,
      message_id: `m-${index}`,
      status: "Queued"
    }))
    yield* journal.exchange(attempt, { settle, claim: [] })
    expect(yield* campaigns.counts("c")).toEqual({
      pending: 1,
      attempting: 0,
      sent: 1,
      rejected: 1,
      unknown: 1
    })
    const states = ["sent", "unknown", "pending"] as const
    const first = yield* campaigns.page("c", { states }, -1, 2)
    expect(first).toMatchObject([
      { key: "a", state: "sent", message_id: "m-0", status: "Queued", isFinal: false },
      { key: "c", state: "unknown" }
    ])
    const rest = yield* campaigns.page("c", { states }, first[1]?.id ?? 0, 2)
    expect(rest.map(({ key }) => key)).toEqual(["d"])
  }),

  "statuses of sent rows are stored, and a filter leaves out rows with a final status": Effect.gen(
    function* () {
      const campaigns = yield* CampaignJournal
      const { attempt, ids, journal } = yield* begun("a", "b", "c")
      const [a = 0, b = 0, c = 0] = ids
      yield* journal.exchange(attempt, { settle: [], claim: [a, b] })
      const settle = [a, b].map((id) => ({ id, outcome: "sent" }) as const)
      yield* journal.exchange(attempt, { settle, claim: [] })
      yield* campaigns.saveStatuses([
        { id: a, status: "Delivered", isFinal: true },
        { id: b, status: "Sent\0", isFinal: false },
        { id: c, status: "Delivered", isFinal: true }
      ])
      const open = { states: ["sent", "pending"], notFinal: true } as const
      expect(yield* campaigns.page("c", open, -1, 10)).toMatchObject([
        { key: "b", status: "Sent", isFinal: false },
        { key: "c" }
      ])
      const all = yield* campaigns.page("c", { states: ["sent"] }, -1, 10)
      expect(all).toMatchObject([{ key: "a", status: "Delivered", isFinal: true }, {}])
    }
  ),

  "one call decides many unknown rows, resends them only after the deadline of their claim, and changes no others":
    Effect.gen(function* () {
      const campaigns = yield* CampaignJournal
      const { attempt, ids, journal, slice } = yield* begun("a", "b", "c")
      yield* journal.exchange(attempt, { settle: [], claim: ids.slice(0, 2) })
      const second = yield* journal.begin(slice)
      yield* journal.exchange(second.attempt, { settle: [], claim: ids.slice(2) })
      const settle = ids.slice(2).map((id) => ({ id, outcome: "sent" }) as const)
      yield* journal.exchange(second.attempt, { settle, claim: [] })
      yield* journal.end(second.attempt)
      const keys = ["a", "b", "c", "nobody"]
      const early = yield* campaigns.resolveRows("c", keys, "resend")
      expect({ ...early, refused: early.refused.toSorted() }).toEqual({
        changed: [],
        refused: ["a", "b"]
      })
      expect(yield* stateOf(slice)).toEqual(["unknown", "unknown", "sent"])
      yield* TestClock.adjust("10001 millis")
      const { changed, refused } = yield* campaigns.resolveRows("c", keys, "resend")
      expect({ changed: changed.toSorted(), refused }).toEqual({ changed: ["a", "b"], refused: [] })
      expect(yield* stateOf(slice)).toEqual(["pending", "pending", "sent"])
      expect(yield* journal.openSlices("c")).toEqual([slice])
      expect(yield* campaigns.resolveRows("c", keys, "sent")).toMatchObject({ changed: [] })
      expect(yield* campaigns.resolveRows("other", keys, "sent")).toMatchObject({ changed: [] })
    }),

  "rejected rows are taken up again with all their tries, unless the campaign is cancelled":
    Effect.gen(function* () {
      const campaigns = yield* CampaignJournal
      const { attempt, ids, journal, slice } = yield* begun("a", "b", "c")
      const outcomes = ["rejected", "unknown", "sent"] as const
      yield* journal.exchange(attempt, { settle: [], claim: ids })
      const settle = outcomes.map((outcome, index) => ({ id: ids[index] ?? 0, outcome }))
      yield* journal.exchange(attempt, { settle, claim: [] })
      yield* journal.end(attempt)
      expect(yield* campaigns.retryRows("c", ["a", "b", "c", "nobody"])).toEqual({
        changed: ["a"],
        refused: []
      })
      expect(yield* stateOf(slice)).toEqual(["pending", "unknown", "sent"])
      expect(yield* journal.openSlices("c")).toEqual([slice])
      // The attempt that settled the row cannot claim it again.
      expect(yield* journal.exchange(attempt, { settle: [], claim: ids })).toEqual([])
      expect((yield* journal.begin(slice)).rows).toMatchObject([{ key: "a", tries: 0 }])
      yield* campaigns.cancel("c")
      expect((yield* campaigns.retryRows("c", ["a"])).changed).toEqual([])
      expect(yield* stateOf(slice)).toEqual(["rejected", "unknown", "sent"])
    })
}

const tenPerSecond = (scope: string, amount: number) => ({ scope, amount, perSecond: 10 })

/** Reserves turns of rates. Returns the wait in milliseconds, and "too early" if nothing is reserved. */
const reserve = (...rates: ReadonlyArray<RateTurn>) =>
  Effect.gen(function* () {
    const campaigns = yield* CampaignJournal
    const { isReserved, wait } = yield* campaigns.reserve(rates)
    return isReserved ? Duration.toMillis(wait) : `too early by ${Duration.toMillis(wait)}`
  })

const rates = {
  "a rate gives each caller its own turn, and unused time does not accumulate": Effect.gen(
    function* () {
      expect(yield* reserve(tenPerSecond("r", 1))).toBe(0)
      expect(yield* reserve(tenPerSecond("r", 3))).toBe(100)
      expect(yield* reserve(tenPerSecond("r", 1))).toBe("too early by 300")
      expect(yield* reserve(tenPerSecond("other", 1))).toBe(0)
      yield* TestClock.adjust("350 millis")
      expect(yield* reserve(tenPerSecond("r", 1))).toBe(50)
      yield* TestClock.adjust("1 hour")
      expect(yield* reserve(tenPerSecond("r", 1))).toBe(0)
      expect(yield* reserve(tenPerSecond("r", 1))).toBe(100)
    }
  ),

  "turns of several rates are reserved together, and a turn that waits for one rate takes nothing of the others":
    Effect.gen(function* () {
      expect(yield* reserve(tenPerSecond("mine", 5), tenPerSecond("all", 1))).toBe(0)
      expect(yield* reserve(tenPerSecond("mine", 1), tenPerSecond("all", 1))).toBe(
        "too early by 400"
      )
      expect(yield* reserve(tenPerSecond("all", 1), tenPerSecond("yours", 1))).toBe(100)
      yield* TestClock.adjust("400 millis")
      expect(yield* reserve(tenPerSecond("mine", 1), tenPerSecond("all", 1))).toBe(100)
      expect(yield* reserve(tenPerSecond("all", 1))).toBe(100)
    }),

  "a reservation made while a clock was wrong does not delay later ones": Effect.gen(function* () {
    yield* TestClock.adjust("1 day")
    yield* reserve(tenPerSecond("r", 1))
    yield* TestClock.setTime(0)
    expect(yield* reserve(tenPerSecond("r", 1))).toBe(0)
    expect(yield* reserve(tenPerSecond("r", 1))).toBe(100)
  }),

  "concurrent reservations never get the same turn, in whatever order they name the rates":
    Effect.gen(function* () {
      const both = [
        { scope: "a", amount: 1, perSecond: 1000 },
        { scope: "b", amount: 1, perSecond: 1000 }
      ]
      const all = Array.from({ length: 50 }, (_, index) =>
        reserve(...(index % 2 === 0 ? both : both.toReversed()))
      )
      // The clock stands still: a wait counts from the moment of its call.
      const waits = yield* Effect.all(all, { concurrency: "unbounded" })
      expect(waits.toSorted((one, other) => Number(one) - Number(other))).toEqual(
        Array.from({ length: 50 }, (_, index) => index)
      )
    })
}

export const campaigns = { ...stopping, ...reading, ...rates }
