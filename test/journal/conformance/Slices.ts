import { expect } from "@effect/vitest"
import { maxTries, type NewRow, SendJournal, type Settlement } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

export const rowsNamed = (...keys: ReadonlyArray<string>): ReadonlyArray<NewRow> =>
  keys.map((key, index) => ({
    key,
    request: { recipient: `+1555010${String(1000 + index)}`, message: `Hello ${key}` }
  }))

/** A campaign of one slice, and an attempt at it. */
export const begun = Effect.fnUntraced(function* (...keys: ReadonlyArray<string>) {
  const journal = yield* SendJournal
  yield* journal.append("c", rowsNamed(...keys))
  const [slice = 0] = yield* journal.openSlices("c")
  const { attempt, rows } = yield* journal.begin(slice)
  return { journal, slice, attempt, rows, ids: rows.map(({ id }) => id) }
})

export const stateOf = Effect.fnUntraced(function* (slice: number) {
  const journal = yield* SendJournal
  return (yield* journal.rows(slice)).map(({ state }) => state)
})

const sent = (id: number): Settlement => ({ id, outcome: "sent", info: "m-1" })
const notSent = (id: number): Settlement => ({ id, outcome: "not-sent" })

const appending = {
  "appended rows are pending, in slices of at most 500": Effect.gen(function* () {
    const journal = yield* SendJournal
    const keys = Array.from({ length: 1001 }, (_, index) => `k${index}`)
    yield* journal.append("c", rowsNamed(...keys))
    const slices = yield* journal.openSlices("c")
    const rows = yield* Effect.forEach(slices, journal.rows)
    expect(rows.map(({ length }) => length)).toEqual([500, 500, 1])
    expect(rows.flat().map(({ key }) => key)).toEqual(keys)
    expect(new Set(rows.flat().map(({ state }) => state))).toEqual(new Set(["pending"]))
    expect(yield* journal.openSlices("other")).toEqual([])
  }),

  "every field is returned unchanged": Effect.gen(function* () {
    const journal = yield* SendJournal
    const request = {
      recipient: "+15550100",
      message: "“Zoë”\n\t'; drop table send; -- 👩‍👩‍👧 \\u0000 %s $1 \u0001",
      sender_id: "",
      webhook_url: "https://example.com/?a=1&b=ü",
      scheduled_time: "2026-01-01T00:00:00Z"
    }
    const short = { recipient: "+15550101", message: "Hi" }
    yield* journal.append("c", [
      { key: "all", request },
      { key: "few", request: short }
    ])
    const [slice = 0] = yield* journal.slices("c")
    const rows = yield* journal.rows(slice)
    expect(rows.map((row) => row.request)).toEqual([request, short])
    expect(Object.keys(rows[1]?.request ?? {})).toEqual(["recipient", "message"])
  }),

  "a repeated append adds nothing": Effect.gen(function* () {
    const journal = yield* SendJournal
    yield* journal.append("c", rowsNamed("a", "b", "a2").slice(0, 2))
    yield* journal.append("c", rowsNamed("a", "b", "c"))
    yield* journal.append("c", rowsNamed("a", "b", "c"))
    const rows = yield* Effect.forEach(yield* journal.slices("c"), journal.rows)
    expect(rows.map((each) => each.map(({ key }) => key))).toEqual([["a", "b"], ["c"]])
  }),

  "an existing key with another text is a conflict that names the field, and nothing is added":
    Effect.gen(function* () {
      const journal = yield* SendJournal
      yield* journal.append("c", rowsNamed("a"))
      const [row] = rowsNamed("a")
      const other = { key: "a", request: { recipient: row?.request.recipient ?? "", message: "S" } }
      const error = yield* Effect.flip(journal.append("c", [...rowsNamed("n"), other]))
      expect(error).toMatchObject({ _tag: "RowConflict", field: "message", index: 1 })
      const added = { key: "a", request: { ...row?.request, sender_id: "X" } } as NewRow
      expect(yield* Effect.flip(journal.append("c", [added]))).toMatchObject({ field: "sender_id" })
      const twice = yield* Effect.flip(journal.append("d", [...rowsNamed("a"), other]))
      expect(twice).toMatchObject({ _tag: "RowConflict", field: "message", index: 1 })
      expect(yield* journal.slices("c")).toHaveLength(1)
      expect(yield* journal.slices("d")).toHaveLength(0)
    }),

  "the same key in another campaign is another row": Effect.gen(function* () {
    const journal = yield* SendJournal
    yield* journal.append("c", rowsNamed("a"))
    yield* journal.append("d", rowsNamed("a"))
    expect(yield* journal.slices("d")).toHaveLength(1)
  }),

  "a value that cannot be stored is refused, with its row and its field": Effect.gen(function* () {
    const journal = yield* SendJournal
    const append = (key: string, message: string) =>
      Effect.flip(
        journal.append("c", [...rowsNamed("a"), { key, request: { recipient: "+1", message } }])
      )
    const tag = { _tag: "RowRefused", index: 1 }
    expect(yield* append("b", "a\0b")).toMatchObject({ ...tag, field: "message" })
    expect(yield* append("b", "\ud83d")).toMatchObject({ ...tag, field: "message" })
    expect(yield* append("", "Hi")).toMatchObject({ ...tag, field: "key" })
    expect(yield* append("k".repeat(513), "Hi")).toMatchObject({ ...tag, field: "key" })
    const campaign = yield* Effect.flip(journal.append("a\0b", []))
    expect(campaign).toMatchObject({ _tag: "InvalidInput", field: "campaign" })
    expect(yield* journal.slices("c")).toEqual([])
  })
}

const rules = {
  "an attempt claims pending rows, and a repeated claim returns the same rows": Effect.gen(
    function* () {
      const { attempt, ids, journal, rows, slice } = yield* begun("a", "b", "c")
      expect(rows.map(({ key }) => key)).toEqual(["a", "b", "c"])
      const claim = ids.slice(0, 2)
      expect(yield* journal.exchange(attempt, { settle: [], claim })).toEqual(claim)
      expect(yield* journal.exchange(attempt, { settle: [], claim })).toEqual(claim)
      expect(yield* stateOf(slice)).toEqual(["attempting", "attempting", "pending"])
    }
  ),

  "an attempt cannot claim settled rows or rows of other slices": Effect.gen(function* () {
    const { attempt, ids, journal } = yield* begun("a")
    yield* journal.append("c", rowsNamed("a", "z"))
    const [, other = 0] = yield* journal.slices("c")
    const foreign = (yield* journal.rows(other)).map(({ id }) => id)
    yield* journal.exchange(attempt, { settle: [], claim: ids })
    yield* journal.exchange(attempt, { settle: ids.map(sent), claim: [] })
    expect(yield* journal.exchange(attempt, { settle: [], claim: [...ids, ...foreign] })).toEqual(
      []
    )
    yield* journal.exchange(attempt, { settle: foreign.map(sent), claim: [] })
    expect(yield* stateOf(other)).toEqual(["pending"])
  }),

  "a superseded attempt claims nothing, and its late outcomes are stored": Effect.gen(function* () {
    const { attempt, ids, journal, slice } = yield* begun("a", "b", "c", "d")
    const [a = 0, b = 0, c = 0, d = 0] = ids
    yield* journal.exchange(attempt, { settle: [], claim: [a, b, c] })
    const second = yield* journal.begin(slice)
    expect(second.rows.map(({ id }) => id)).toEqual([d])
    expect(yield* stateOf(slice)).toEqual(["unknown", "unknown", "unknown", "pending"])
    const settle = [sent(a), notSent(b), { id: c, outcome: "unknown" } as const]
    expect(yield* journal.exchange(attempt, { settle, claim: [d] })).toEqual([])
    expect(yield* stateOf(slice)).toEqual(["sent", "pending", "unknown", "pending"])
    expect(yield* journal.end(attempt)).toBe(false)
    expect(yield* journal.end(second.attempt)).toBe(false)
  }),

  "an attempt cannot settle a row that another attempt claimed": Effect.gen(function* () {
    const { attempt, ids, journal, slice } = yield* begun("a")
    const second = yield* journal.begin(slice)
    yield* journal.exchange(second.attempt, { settle: [], claim: ids })
    yield* journal.exchange(attempt, { settle: ids.map(sent), claim: [] })
    expect(yield* stateOf(slice)).toEqual(["attempting"])
  }),

  "a row that did not go out is retried by the next attempt, up to the maximum of tries":
    Effect.gen(function* () {
      const { ids, journal, slice, ...first } = yield* begun("a")
      let { attempt } = first
      for (let tries = 1; tries <= maxTries; tries++) {
        expect(yield* journal.exchange(attempt, { settle: [], claim: ids })).toEqual(ids)
        yield* journal.exchange(attempt, { settle: ids.map(notSent), claim: [] })
        expect(yield* journal.exchange(attempt, { settle: [], claim: ids })).toEqual([])
        expect(yield* journal.rows(slice)).toMatchObject([{ tries }])
        expect(yield* journal.end(attempt)).toBe(tries === maxTries)
        ;({ attempt } = yield* journal.begin(slice))
      }
      expect(yield* stateOf(slice)).toEqual(["rejected"])
    }),

  "a released row does not count as a try": Effect.gen(function* () {
    const { ids, journal, slice, ...first } = yield* begun("a")
    let { attempt } = first
    for (let round = 0; round <= maxTries; round++) {
      expect(yield* journal.exchange(attempt, { settle: [], claim: ids })).toEqual(ids)
      const settle = ids.map((id) => ({ id, outcome: "released", info: "429" }) as const)
      yield* journal.exchange(attempt, { settle, claim: [] })
      expect(yield* journal.rows(slice)).toMatchObject([
        { state: "pending", tries: 0, info: "429" }
      ])
      expect(yield* journal.end(attempt)).toBe(false)
      ;({ attempt } = yield* journal.begin(slice))
    }
  }),

  "a row that is released late hands its slice out again, even if it was done": Effect.gen(
    function* () {
      const { attempt, ids, journal, slice } = yield* begun("a")
      yield* journal.exchange(attempt, { settle: [], claim: ids })
      const second = yield* journal.begin(slice)
      expect(yield* journal.end(second.attempt)).toBe(true)
      expect(yield* journal.openSlices("c")).toEqual([])
      // The info of an earlier try does not apply to this one.
      expect((yield* journal.rows(slice))[0]).toMatchObject({
        state: "unknown",
        info: "the process stopped while the request was in flight"
      })
      const late = ids.map((id) => ({ id, outcome: "released" }) as const)
      yield* journal.exchange(attempt, { settle: late, claim: [] })
      expect(yield* journal.openSlices("c")).toEqual([slice])
      expect(yield* journal.exchange(attempt, { settle: [], claim: ids })).toEqual([])
      expect((yield* journal.begin(slice)).rows).toMatchObject([{ state: "pending", tries: 0 }])
    }
  ),

  "a repeated exchange changes nothing": Effect.gen(function* () {
    const { attempt, ids, journal, slice } = yield* begun("a", "b", "c", "d")
    const [a = 0, b = 0, c = 0, d = 0] = ids
    yield* journal.exchange(attempt, { settle: [], claim: [a, b, c] })
    const turn = {
      settle: [sent(a), notSent(b), { id: c, outcome: "unknown" } as const],
      claim: [d]
    }
    expect(yield* journal.exchange(attempt, turn)).toEqual([d])
    const after = yield* journal.rows(slice)
    expect(yield* journal.exchange(attempt, turn)).toEqual([d])
    expect(yield* journal.rows(slice)).toEqual(after)
    expect(after).toMatchObject([
      { state: "sent", info: "m-1", tries: 0 },
      { state: "pending", tries: 1 },
      { state: "unknown", tries: 0 },
      { state: "attempting" }
    ])
  }),

  "a slice is done when no row is pending or attempting, and only for its last attempt": Effect.gen(
    function* () {
      const { attempt, ids, journal, slice } = yield* begun("a", "b")
      expect(yield* journal.end(attempt)).toBe(false)
      const [a = 0, b = 0] = ids
      yield* journal.exchange(attempt, { settle: [], claim: [a, b] })
      yield* journal.exchange(attempt, { settle: [sent(a)], claim: [] })
      expect(yield* journal.end(attempt)).toBe(false)
      const second = yield* journal.begin(slice)
      expect(yield* journal.end(attempt)).toBe(false)
      expect(yield* journal.openSlices("c")).toEqual([slice])
      expect(yield* journal.end(second.attempt)).toBe(true)
      expect(yield* journal.end(second.attempt)).toBe(true)
      expect(yield* journal.openSlices("c")).toEqual([])
      expect(yield* journal.slices("c")).toEqual([slice])
    }
  ),

  "an attempt cannot begin at a slice that does not exist": Effect.gen(function* () {
    const journal = yield* SendJournal
    expect(yield* Effect.flip(journal.begin(77))).toMatchObject({
      _tag: "SliceNotFound",
      slice: 77
    })
  }),

  "a text that PostgreSQL cannot store does not prevent a settlement": Effect.gen(function* () {
    const { attempt, ids, journal, slice } = yield* begun("a")
    const settle = ids.map((id) => ({ id, outcome: "sent", info: "m\0-\ud83d" }) as const)
    yield* journal.exchange(attempt, { settle: [], claim: ids })
    yield* journal.exchange(attempt, { settle, claim: [] })
    expect(yield* journal.rows(slice)).toMatchObject([{ state: "sent", info: "m-\ufffd" }])
  })
}

const people = {
  "a person decides on unknown rows, and on no others": Effect.gen(function* () {
    const { attempt, ids, journal, slice } = yield* begun("a", "b", "c", "d")
    yield* journal.exchange(attempt, { settle: [], claim: ids.slice(0, 3) })
    expect(yield* journal.resolveRow("c", "a", "sent")).toBe(false)
    const second = yield* journal.begin(slice)
    expect(yield* journal.resolveRow("c", "a", "sent")).toBe(true)
    expect(yield* journal.resolveRow("c", "b", "rejected")).toBe(true)
    // The attempt may be frozen, and start the request in time.
    expect(yield* journal.resolveRow("c", "c", "resend")).toBe(false)
    yield* TestClock.adjust("10001 millis")
    expect(yield* journal.resolveRow("c", "c", "resend")).toBe(true)
    expect(yield* journal.resolveRow("c", "d", "sent")).toBe(false)
    expect(yield* journal.resolveRow("c", "nobody", "sent")).toBe(false)
    expect(yield* journal.resolveRow("c", "b", "resend")).toBe(false)
    expect(yield* stateOf(slice)).toEqual(["sent", "rejected", "pending", "pending"])
    expect(yield* journal.end(second.attempt)).toBe(false)
  }),

  "a resend opens the slice again, and the next attempt claims the row": Effect.gen(function* () {
    const { attempt, ids, journal, slice } = yield* begun("a")
    yield* journal.exchange(attempt, { settle: [], claim: ids })
    const second = yield* journal.begin(slice)
    expect(yield* journal.end(second.attempt)).toBe(true)
    yield* TestClock.adjust("10001 millis")
    expect(yield* journal.resolveRow("c", "a", "resend")).toBe(true)
    expect(yield* journal.openSlices("c")).toEqual([slice])
    const third = yield* journal.begin(slice)
    expect(yield* journal.exchange(third.attempt, { settle: [], claim: ids })).toEqual(ids)
  }),

  "a late acceptance stops a resend that has not begun": Effect.gen(function* () {
    const { attempt, ids, journal, slice } = yield* begun("a")
    yield* journal.exchange(attempt, { settle: [], claim: ids })
    yield* journal.begin(slice)
    yield* TestClock.adjust("10001 millis")
    expect(yield* journal.resolveRow("c", "a", "resend")).toBe(true)
    yield* journal.exchange(attempt, { settle: ids.map(sent), claim: [] })
    const third = yield* journal.begin(slice)
    expect(third.rows).toEqual([])
    expect(yield* stateOf(slice)).toEqual(["sent"])
  })
}

export const slices = { ...appending, ...rules, ...people }
