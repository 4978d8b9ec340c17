import { expect } from "@effect/vitest"
import { CampaignJournal, SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import { rowsNamed } from "./Slices.ts"

const services = Effect.all({ campaigns: CampaignJournal, journal: SendJournal })

export const loads = {
  "the rows of a load are invisible until it ends": Effect.gen(function* () {
    const { campaigns, journal } = yield* services
    const load = yield* campaigns.beginLoad("c")
    yield* journal.append("c", rowsNamed("a"), load)
    yield* journal.append("c", rowsNamed("b"), load)
    expect(yield* campaigns.state("c")).toBe("loading")
    expect(yield* journal.slices("c")).toEqual([])
    expect(yield* journal.openSlices("c")).toEqual([])
    yield* campaigns.endLoad(load)
    expect(yield* campaigns.state("c")).toBe("running")
    expect(yield* journal.openSlices("c")).toHaveLength(2)
  }),

  "an attempt at a slice of a load that has not ended does not begin": Effect.gen(function* () {
    const { campaigns, journal } = yield* services
    yield* journal.append("c", rowsNamed("a"))
    const [first = 0] = yield* journal.openSlices("c")
    const load = yield* campaigns.beginLoad("c")
    yield* journal.append("c", rowsNamed("b"), load)
    expect(yield* Effect.flip(journal.begin(first + 1))).toMatchObject({ _tag: "SliceNotFound" })
    // The rows of earlier loads can be sent in the meantime.
    expect((yield* journal.begin(first)).rows).toMatchObject([{ key: "a" }])
  }),

  "an abandoned load leaves nothing, and the same keys can have other content": Effect.gen(
    function* () {
      const { campaigns, journal } = yield* services
      const load = yield* campaigns.beginLoad("c")
      yield* journal.append("c", rowsNamed("a"), load)
      yield* campaigns.abandonLoad(load)
      expect(yield* campaigns.state("c")).toBeUndefined()
      expect(yield* campaigns.counts("c")).toMatchObject({ pending: 0 })
      const [row] = rowsNamed("a")
      if (row === undefined) return
      yield* journal.append("c", [{ ...row, request: { ...row.request, message: "Other" } }])
      expect(yield* campaigns.counts("c")).toMatchObject({ pending: 1 })
    }
  ),

  "an abandoned load leaves the rows of earlier loads": Effect.gen(function* () {
    const { campaigns, journal } = yield* services
    yield* journal.append("c", rowsNamed("a"))
    const load = yield* campaigns.beginLoad("c")
    yield* journal.append("c", rowsNamed("a", "b"), load)
    yield* campaigns.abandonLoad(load)
    expect(yield* campaigns.state("c")).toBe("running")
    expect(yield* campaigns.counts("c")).toMatchObject({ pending: 1 })
  }),

  "a load replaces one that has not ended, which can then write nothing": Effect.gen(function* () {
    const { campaigns, journal } = yield* services
    const first = yield* campaigns.beginLoad("c")
    yield* journal.append("c", rowsNamed("a"), first)
    const second = yield* campaigns.beginLoad("c")
    expect(yield* campaigns.counts("c")).toMatchObject({ pending: 0 })
    yield* journal.append("c", rowsNamed("b"), second)
    for (const late of [
      journal.append("c", rowsNamed("a"), first),
      campaigns.endLoad(first),
      campaigns.abandonLoad(first)
    ]) {
      expect(yield* Effect.flip(late)).toMatchObject({ _tag: "LoadSuperseded" })
    }
    yield* campaigns.endLoad(second)
    expect(yield* campaigns.counts("c")).toMatchObject({ pending: 1 })
    const [slice = 0] = yield* journal.openSlices("c")
    expect(yield* journal.rows(slice)).toMatchObject([{ key: "b" }])
  }),

  "a cancelled campaign stays cancelled while rows are loaded": Effect.gen(function* () {
    const { campaigns, journal } = yield* services
    yield* journal.append("c", rowsNamed("a"))
    yield* campaigns.cancel("c")
    const load = yield* campaigns.beginLoad("c")
    expect(yield* campaigns.state("c")).toBe("cancelled")
    yield* campaigns.abandonLoad(load)
    expect(yield* campaigns.state("c")).toBe("cancelled")
  })
}
