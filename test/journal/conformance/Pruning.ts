import { expect } from "@effect/vitest"
import { SendClaims, SendJournal } from "@messaging-topup/journal"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { claimed } from "./Claims.ts"
import { begun, stateOf } from "./Slices.ts"

const day = Duration.days(1)

/** A slice that is done: sent, rejected and unknown. */
const doneSlice = Effect.gen(function* () {
  const { attempt, ids, journal, slice } = yield* begun("a", "b", "c")
  const outcomes = ["sent", "rejected", "unknown"] as const
  const settle = ids.map((id, index) => ({ id, outcome: outcomes[index] ?? "unknown" }))
  yield* journal.exchange(attempt, { settle: [], claim: ids })
  yield* journal.exchange(attempt, { settle, claim: [] })
  return { attempt, journal, slice }
})

export const pruning = {
  "old rows are pruned once their slice is done, and unknown rows only on request": Effect.gen(
    function* () {
      const { attempt, journal, slice } = yield* doneSlice
      yield* TestClock.adjust("2 days")
      expect(yield* journal.prune(day, "settled")).toBe(0)
      yield* journal.end(attempt)
      expect(yield* journal.prune(day, "settled")).toBe(0)
      yield* TestClock.adjust("2 days")
      expect(yield* journal.prune(Duration.days(5), "settled")).toBe(0)
      expect(yield* journal.prune(day, "settled")).toBe(2)
      expect(yield* stateOf(slice)).toEqual(["unknown"])
      expect(yield* journal.prune(day, "unknown")).toBe(1)
      expect(yield* journal.slices("c")).toEqual([])
    }
  ),

  "old single sends are pruned, and unknown ones only on request": Effect.gen(function* () {
    const journal = yield* SendJournal
    const claims = yield* SendClaims
    yield* claims.settle(yield* claimed("a"), { outcome: "sent", messages: [] })
    yield* claims.settle(yield* claimed("u"), { outcome: "unknown" })
    yield* claimed("gone")
    yield* TestClock.adjust("2 days")
    yield* claimed("new")
    expect(yield* journal.prune(Duration.days(3), "settled")).toBe(0)
    expect(yield* journal.prune(day, "settled")).toBe(1)
    expect(yield* journal.prune(day, "settled")).toBe(0)
    expect(yield* journal.prune(day, "unknown")).toBe(2)
    expect(yield* claims.recent({}, 10)).toMatchObject([{ key: "new", state: "in-flight" }])
  }),

  "a send that blocks another send or counts towards a limit is not pruned": Effect.gen(
    function* () {
      const journal = yield* SendJournal
      const claims = yield* SendClaims
      const held = yield* claimed("held", { holdSent: Duration.days(2) })
      const counted = yield* claimed("counted", {
        limits: [{ scope: "all", amount: 1, max: 1, per: Duration.days(2) }]
      })
      yield* Effect.forEach([held, counted], (claim) =>
        claims.settle(claim, { outcome: "sent", messages: [] })
      )
      yield* TestClock.adjust("1 day")
      expect(yield* journal.prune(Duration.zero, "settled")).toBe(0)
      yield* TestClock.adjust("36 hours")
      expect(yield* journal.prune(Duration.zero, "settled")).toBe(2)
    }
  )
}
