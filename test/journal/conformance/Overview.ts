import { expect } from "@effect/vitest"
import { CampaignJournal, SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { begun, rowsNamed } from "./Slices.ts"

const none = { pending: 0, attempting: 0, sent: 0, rejected: 0, unknown: 0 }

/** A campaign `c`: a is sent, b rejected, c unknown, d attempting, e pending. */
const mixed = Effect.gen(function* () {
  const { attempt, ids, journal } = yield* begun("a", "b", "c", "d", "e")
  yield* journal.exchange(attempt, { settle: [], claim: ids.slice(0, 4) })
  yield* TestClock.adjust("1 minute")
  const settle = (["sent", "rejected", "unknown"] as const).map((outcome, index) => ({
    id: ids[index] ?? 0,
    outcome
  }))
  yield* journal.exchange(attempt, { settle, claim: [] })
  return journal
})

export const overview = {
  "all campaigns are listed with their states, counts and times": Effect.gen(function* () {
    const campaigns = yield* CampaignJournal
    expect(yield* campaigns.list).toEqual([])
    const journal = yield* mixed
    yield* journal.append("b", [])
    yield* campaigns.pause("b")
    expect(yield* campaigns.list).toEqual([
      { campaign: "b", state: "paused", counts: none, first: undefined, last: undefined },
      {
        campaign: "c",
        state: "running",
        counts: { pending: 1, attempting: 1, sent: 1, rejected: 1, unknown: 1 },
        first: 0,
        last: 60_000
      }
    ])
  }),

  "rows are compared with the rows of the campaign that have their keys": Effect.gen(function* () {
    const campaigns = yield* CampaignJournal
    yield* mixed
    expect(yield* campaigns.known("c", rowsNamed("a", "b", "c", "d", "e", "f"))).toEqual(
      (["sent", "rejected", "unknown", "attempting", "pending"] as const).map((state, index) => ({
        index,
        state
      }))
    )
    const [row, other] = rowsNamed("a", "f")
    if (row === undefined || other === undefined) return
    const changed = { ...row, request: { ...row.request, sender_id: "me" } }
    expect(yield* campaigns.known("c", [other, changed])).toEqual([
      { index: 1, state: "sent", changed: "sender_id" }
    ])
    expect(yield* campaigns.known("other", rowsNamed("a"))).toEqual([])
  }),

  "the rows of a load that has not ended are not there": Effect.gen(function* () {
    const campaigns = yield* CampaignJournal
    const journal = yield* mixed
    const load = yield* campaigns.beginLoad("c")
    yield* journal.append("c", rowsNamed("a", "f"), load)
    const before = { pending: 1, attempting: 1, sent: 1, rejected: 1, unknown: 1 }
    expect(yield* campaigns.counts("c")).toEqual(before)
    const known = yield* campaigns.known("c", rowsNamed("a", "e", "f"))
    expect(known.map(({ state }) => state)).toEqual(["sent", "pending"])
    yield* campaigns.endLoad(load)
    expect(yield* campaigns.counts("c")).toEqual({ ...before, pending: 2 })
    expect(yield* campaigns.known("c", rowsNamed("a", "e", "f"))).toHaveLength(3)
  }),

  "the rows that went out, or may have, are read in pages, of all campaigns": Effect.gen(
    function* () {
      const campaigns = yield* CampaignJournal
      const journal = yield* mixed
      yield* journal.append("other", rowsNamed("a"))
      const all = yield* campaigns.written(-1, 10)
      const loaded = rowsNamed("a", "b", "c", "d").map(({ request }) => request.recipient)
      const recipients = [loaded[0], loaded[2], loaded[3]]
      expect(all.map(({ campaign, recipient }) => [campaign, recipient])).toEqual(
        recipients.map((recipient) => ["c", recipient])
      )
      expect(all.map(({ at }) => at)).toEqual([60_000, 60_000, 0])
      const first = yield* campaigns.written(-1, 2)
      expect(first).toEqual(all.slice(0, 2))
      expect(yield* campaigns.written(first.at(-1)?.id ?? 0, 2)).toEqual(all.slice(2))
    }
  ),

  "the line of a row is stored, and is no content": Effect.gen(function* () {
    const journal = yield* SendJournal
    const [first, second] = rowsNamed("a", "b")
    if (first === undefined || second === undefined) return
    yield* journal.append("c", [{ ...first, line: 2 }, second])
    yield* journal.append("c", [first, { ...second, line: 9 }, { ...first, line: 7 }])
    const [slice = 0] = yield* journal.slices("c")
    const rows = yield* journal.rows(slice)
    expect(rows.map(({ line }) => line)).toEqual([2, undefined])
    for (const line of [0, 1.5, Number.NaN, 2 ** 60]) {
      const error = yield* Effect.flip(journal.append("c", [{ ...first, line }]))
      expect(error).toMatchObject({ index: 0, field: "line" })
    }
  })
}
