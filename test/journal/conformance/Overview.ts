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

/** Rows to the recipients of `mixed`, under keys of their own. */
const anew = rowsNamed("a", "b", "c", "d", "e", "f").map((row) => ({
  ...row,
  key: `new ${row.key}`
}))

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
    const { earlier, known } = yield* campaigns.compare(
      "c",
      rowsNamed("a", "b", "c", "d", "e", "f")
    )
    expect(known).toEqual(
      (["sent", "rejected", "unknown", "attempting", "pending"] as const).map((state, index) => ({
        index,
        state
      }))
    )
    const [row, other] = rowsNamed("a", "f")
    if (row === undefined || other === undefined) return
    const changed = { ...row, request: { ...row.request, sender_id: "me" } }
    expect((yield* campaigns.compare("c", [other, changed])).known).toEqual([
      { index: 1, state: "sent", changed: "sender_id" }
    ])
    expect(earlier).toMatchObject({ here: 0, elsewhere: 0 })
    expect((yield* campaigns.compare("other", anew)).known).toEqual([])
  }),

  "recipients of new rows are found if another row to them went out, or may have": Effect.gen(
    function* () {
      const campaigns = yield* CampaignJournal
      const journal = yield* mixed
      const compared = (campaign: string, rows = anew, ignored = "") =>
        Effect.map(campaigns.compare(campaign, rows, ignored), ({ earlier }) => earlier)
      const here = { here: 3, elsewhere: 0, first: undefined, last: undefined }
      expect(yield* compared("c")).toEqual(here)
      const elsewhere = { here: 0, elsewhere: 3, first: 0, last: 60_000 }
      expect(yield* compared("other")).toEqual(elsewhere)
      // A row that is loaded and pending will be sent, too.
      yield* journal.append("other", anew)
      expect(yield* compared("other")).toEqual(elsewhere)
      // A recipient with several rows counts once.
      expect(yield* compared("third", [...anew, ...anew])).toEqual(elsewhere)
      expect(yield* compared("other", anew, "c")).toEqual({ ...here, here: 0 })
      expect(yield* compared("other", anew, "cc")).toEqual(elsewhere)
    }
  ),

  "rows that are not sent again are not compared with other campaigns": Effect.gen(function* () {
    const campaigns = yield* CampaignJournal
    const journal = yield* mixed
    yield* journal.append("other", anew)
    const [slice = 0] = yield* journal.openSlices("other")
    const { attempt, rows } = yield* journal.begin(slice)
    const ids = rows.map(({ id }) => id)
    yield* journal.exchange(attempt, { settle: [], claim: ids })
    const settle = ids.map((id) => ({ id, outcome: "sent" }) as const)
    yield* journal.exchange(attempt, { settle, claim: [] })
    const { earlier, known } = yield* campaigns.compare("other", anew)
    expect(known.map(({ state }) => state)).toEqual(Array.from({ length: 6 }, () => "sent"))
    expect(earlier).toMatchObject({ here: 0, elsewhere: 0 })
  }),

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
