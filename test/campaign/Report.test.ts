import { describe, expect, it } from "@effect/vitest"
import { Campaign } from "@messaging-topup/campaign"
import { SmsText } from "@messaging-topup/core"
import { layerMemory, type NewRow, type Row } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { runs } from "../support/Runs.ts"
import { type RowSettlement, settleRows } from "./support/RowSettlements.ts"
import { captionOf, countOf, numberOf, tableOf, textOf, wordsOf } from "./support/ReportPage.ts"
import { rowOf } from "./support/Rows.ts"

const load = (rows: ReadonlyArray<NewRow>, campaign = "c") =>
  Campaign.load(campaign, Stream.fromIterable(rows))

const rowsFor = (settlements: ReadonlyArray<unknown>): ReadonlyArray<NewRow> =>
  settlements.map((_, index) => rowOf(index))

/** The page of a campaign whose rows have these settlements. */
const pageOf = Effect.fnUntraced(function* (
  settlements: ReadonlyArray<RowSettlement>,
  rows: ReadonlyArray<NewRow> = rowsFor(settlements),
  options: Campaign.ReportOptions = {}
) {
  yield* load(rows)
  yield* settleRows("c", settlements)
  return yield* Campaign.report("c", options)
})

const states = ["pending", "attempting", "sent", "rejected", "unknown"] as const
const outcomes = ["sent", "rejected", "unknown"] as const

const tally = (words: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}

const unitMillis: Readonly<Record<string, number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000
}

/** The width of the buckets, as the caption says it: "for each 5 minutes". */
const bucketMillis = (page: string): number => {
  const [, count = "1", unit = ""] =
    /for each (?:(\d+) )?([a-z]+?)s?,/.exec(captionOf(page, "time")) ?? []
  return Number(count) * (unitMillis[unit] ?? Number.NaN)
}

/** How much later than UTC the clocks of these zones showed in 1970. */
const offsets = { UTC: 0, "Asia/Kolkata": 19_800_000, "America/New_York": -18_000_000 } as const

const expectTime = (page: string, rows: ReadonlyArray<Row>, offset: number) => {
  const width = bucketMillis(page)
  const sends = rows.filter(({ state }) => outcomes.some((outcome) => outcome === state))
  const buckets = tally(
    sends.map(({ at, state }) => `${Math.floor((at + offset) / width) * width - offset} ${state}`)
  )
  const shown = (tableOf(page, "time") ?? []).flatMap(([from = "", ...cells]) =>
    outcomes.flatMap((outcome, index) => {
      const count = numberOf(cells[index])
      const [day, clock, zone] = from.split(" ")
      const start = Date.parse(`${day}T${clock}${zone}`)
      return count === 0 ? [] : [[`${start} ${outcome}`, count] as const]
    })
  )
  expect(Object.fromEntries(shown)).toEqual(buckets)
}

const word = fc.constantFrom("ConnectionLost", "NotFound 404", "<b>&amp;\"'", "delivered", "…")

/** Texts of one segment or more. */
const anyText = fc.oneof(fc.string(), fc.constantFrom("long ".repeat(60), "ŵ".repeat(71)))

const anySettlement: fc.Arbitrary<RowSettlement> = fc.record(
  {
    outcome: fc.constantFrom(...outcomes),
    info: word,
    status: word,
    millis: fc.constantFrom(0, 1, 999, 61_000, 4_000_000)
  },
  { requiredKeys: [] }
)

describe("the report of any campaign", () => {
  it.effect("has the numbers of the journal", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.array(anySettlement, { maxLength: 30 }),
          fc.array(anyText, { minLength: 1, maxLength: 40 }),
          fc.constantFrom(...Struct.keys(offsets)),
          (settlements, messages, timeZone) =>
            Effect.gen(function* () {
              const texts = messages.map((text) => text.replaceAll("\0", "").toWellFormed())
              const page = yield* pageOf(
                settlements,
                texts.map((message, index) => rowOf(index, "7", message)),
                { timeZone }
              )
              const rows = yield* Stream.runCollect(Campaign.results("c"))
              const inState = (wanted: string) => rows.filter(({ state }) => state === wanted)
              for (const state of states) expect(countOf(page, state)).toBe(inState(state).length)
              const segments = (of: ReadonlyArray<Row>) =>
                of.reduce((sum, row) => sum + SmsText.preview(row.request.message).segments, 0)
              expect(countOf(page, "total")).toBe(texts.length)
              expect(countOf(page, "segments")).toBe(segments(rows))
              expect(countOf(page, "sent-segments")).toBe(segments(inState("sent")))
              const reasons = (state: string, nothing: string) =>
                tally(inState(state).map(({ info = nothing }) => info))
              expect(wordsOf(page, "rejected")).toEqual(
                reasons("rejected", "No reason was recorded")
              )
              expect(wordsOf(page, "unknown")).toEqual(reasons("unknown", "No reason was recorded"))
              expect(wordsOf(page, "statuses")).toEqual(
                tally(inState("sent").map(({ status = "No status was read" }) => status))
              )
              expect((tableOf(page, "keys") ?? []).map(([key]) => key)).toEqual(
                inState("unknown").map(({ key }) => key)
              )
              expectTime(page, rows, offsets[timeZone])
            }).pipe(Effect.provide(Layer.merge(layerMemory, TestClock.layer())), Effect.runPromise)
        ),
        { numRuns: runs(500) }
      )
    )
  )

  it.effect("shows the counts of a campaign without sends", () =>
    Effect.gen(function* () {
      const page = yield* pageOf([], [rowOf(0), rowOf(1)])
      expect(countOf(page, "pending")).toBe(2)
      expect(textOf(page)).toContain("Nothing was sent yet.")
      expect(textOf(page)).toContain("No message was sent yet.")
      expect(textOf(page)).toContain("2 messages without an outcome yet")
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("has times of the zone that is given, also when its clocks change", () =>
    Effect.gen(function* () {
      yield* load([rowOf(0), rowOf(1)])
      yield* TestClock.setTime(Date.UTC(2026, 9, 25, 0, 30))
      yield* settleRows("c", [
        { outcome: "unknown" },
        { outcome: "unknown", millis: 60 * 60 * 1000 }
      ])
      const page = yield* Campaign.report("c", { timeZone: "Europe/Berlin" })
      expect((tableOf(page, "keys") ?? []).map((cells) => cells.at(-1))).toEqual([
        "2026-10-25 02:30:00 +02:00",
        "2026-10-25 02:30:00 +01:00"
      ])
      expect(captionOf(page, "keys")).toContain("Time zone: Europe/Berlin.")
      expect(textOf(page)).toContain("2026-10-25 02:30:00 +02:00 to 2026-10-25 02:30:00 +01:00")
      expect(textOf(page)).toContain("Made on 25 October 2026 at 02:30 +01:00")
      const axis = /y2="417" *\/><text[^>]*>([^<]+)</g
      expect([...page.replaceAll(/\s+/g, " ").matchAll(axis)].map(([, label]) => label)).toEqual([
        "02:30",
        "02:45",
        "02:00",
        "02:15",
        "02:30"
      ])
      expect(yield* Effect.flip(Campaign.report("c", { timeZone: "Berlin" }))).toMatchObject({
        _tag: "InvalidInput",
        field: "timeZone"
      })
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("fails if the journal does not have the campaign", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Campaign.report("nobody"))
      expect(error).toMatchObject({ _tag: "CampaignNotFound", campaign: "nobody" })
    }).pipe(Effect.provide(layerMemory))
  )
})

describe("the plot of sends over time", () => {
  const steady = (count: number): ReadonlyArray<RowSettlement> =>
    Array.from({ length: count }, () => ({ outcome: "sent", millis: 1000 }))

  it.effect("leaves out a few outcomes long after the others", () =>
    Effect.gen(function* () {
      const late: RowSettlement = { outcome: "rejected", millis: 30 * 86_400_000 }
      const page = yield* pageOf([...steady(400), late])
      expect(bucketMillis(page)).toBeLessThanOrEqual(15_000)
      expect(textOf(page)).toContain("Not in the plot: 1 message whose outcome came long")
      expect(countOf(page, "rejected")).toBe(1)
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("has no more than 96 bars, however long the campaign took", () =>
    Effect.gen(function* () {
      const slow: ReadonlyArray<RowSettlement> = Array.from({ length: 300 }, () => ({
        outcome: "sent",
        millis: 7 * 3_600_000
      }))
      const page = yield* pageOf(slow)
      const bars = page.match(/class="bucket"/g) ?? []
      expect(bars.length).toBeGreaterThan(24)
      expect(bars.length).toBeLessThanOrEqual(96)
      expect(bucketMillis(page)).toBe(86_400_000)
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("leaves out rows that were cancelled before they were sent", () =>
    Effect.gen(function* () {
      yield* load(Array.from({ length: 50 }, (_, index) => rowOf(index)))
      yield* settleRows("c", steady(10))
      yield* TestClock.adjust("1 hour")
      yield* Campaign.cancel("c")
      const page = yield* Campaign.report("c")
      expect(textOf(page)).toContain("Not in the plot: 40 messages cancelled before being sent.")
      expect(wordsOf(page, "rejected")).toEqual({ cancelled: 40 })
      const time = tableOf(page, "time") ?? []
      expect(time.map(([, , rejected]) => rejected)).not.toContain("40")
    }).pipe(Effect.provide(layerMemory))
  )
})

describe("keys, reasons and statuses", () => {
  const script = "<script>alert(1)</script>"
  const attribute = `"' onmouseover=alert(1) x="`

  it.effect("are escaped wherever they are shown", () =>
    Effect.gen(function* () {
      const settlements: ReadonlyArray<RowSettlement> = [
        { outcome: "unknown", info: script },
        { outcome: "rejected", info: attribute },
        { outcome: "sent", status: `</td>${script}` }
      ]
      const rows: ReadonlyArray<NewRow> = [
        { ...rowOf(0), key: script },
        { ...rowOf(1), key: attribute },
        rowOf(2)
      ]
      yield* load(rows, script)
      yield* settleRows(script, settlements)
      const page = yield* Campaign.report(script)
      expect(page).not.toContain("<script")
      expect(page).not.toContain(attribute)
      expect(tableOf(page, "keys")).toEqual([[script, script, "1970-01-01 00:00:00 +00:00"]])
      expect(wordsOf(page, "rejected")).toEqual({ [attribute]: 1 })
      expect(wordsOf(page, "statuses")).toEqual({ [`</td>${script}`]: 1 })
      expect(page).toContain(
        "--campaign &#39;&lt;script&gt;alert(1)&lt;/script&gt;&#39; --as resend"
      )
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("are shown with invisible and direction characters as codes", () =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<NewRow> = [
        { ...rowOf(0), key: "a\u202Eb\u0007c\nd" },
        { ...rowOf(1), key: "👩‍👧 ok" }
      ]
      const page = yield* pageOf([{ outcome: "unknown" }, { outcome: "unknown" }], rows)
      expect((tableOf(page, "keys") ?? []).map(([key]) => key)).toEqual([
        String.raw`a\u{202e}b\u{7}c\u{a}d`,
        "👩‍👧 ok"
      ])
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("are shortened if they are long, and summed up if they are many", () =>
    Effect.gen(function* () {
      const settlements = Array.from({ length: 1_100 }, (_, index): RowSettlement => ({
        outcome: "rejected",
        info: index === 0 ? "x".repeat(5_000) : index < 40 ? "often" : `reason ${index}`
      }))
      const reasons = wordsOf(yield* pageOf(settlements), "rejected")
      expect(reasons).toMatchObject({ [`${"x".repeat(200)}…`]: 1, often: 39 })
      expect(Object.keys(reasons)).toHaveLength(51)
      expect(Object.values(reasons).reduce((sum, count) => sum + count, 0)).toBe(1_100)
    }).pipe(Effect.provide(layerMemory))
  )
})

describe("rows of unknown outcome", () => {
  it.effect("are listed up to a thousand, with the command that lists the others", () =>
    Effect.gen(function* () {
      const page = yield* pageOf(Array.from({ length: 1_203 }, () => ({ outcome: "unknown" })))
      expect(tableOf(page, "keys")).toHaveLength(1_000)
      expect(textOf(page)).toContain(
        "203 more are not listed here. npx messaging-topup-campaign failures --campaign c --csv lists them all."
      )
    }).pipe(Effect.provide(layerMemory))
  )

  const settlements: ReadonlyArray<RowSettlement> = [
    { outcome: "unknown" },
    { outcome: "sent" },
    {}
  ]

  it.effect("are listed without phone numbers, and the page has no message text", () =>
    Effect.gen(function* () {
      const page = yield* pageOf(settlements)
      expect(page).not.toContain("1555")
      expect(page).not.toContain("Hello")
      expect(page).toContain("--open-recipients")
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("are listed with their phone numbers, and no others, if the option is set", () =>
    Effect.gen(function* () {
      const page = yield* pageOf(settlements, rowsFor(settlements), { showRecipients: true })
      expect(tableOf(page, "keys")?.[0]?.slice(0, 2)).toEqual(["k0", "+155510007"])
      expect(page.match(/\+1555/g)).toHaveLength(1)
      expect(page).not.toContain("Hello")
    }).pipe(Effect.provide(layerMemory))
  )
})
