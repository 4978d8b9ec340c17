import { describe, expect, it } from "@effect/vitest"
import type { ReadOptions } from "@messaging-topup/campaign/src/input/Checks.ts"
import * as Exclusions from "@messaging-topup/campaign/src/input/Exclusions.ts"
import { normalizeTo } from "@messaging-topup/campaign/src/input/PhoneNumber.ts"
import * as Totals from "@messaging-topup/campaign/src/input/Totals.ts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { read, rowsOf, sourceOf } from "../harness/campaign/Reading.ts"

const normalize = normalizeTo("NG")

const header = "recipient,message\n"
const number = "+2348031234567"
const spellings = ["+234 803 123-4567", "234 803 1234567", "(+234) 803.123.4567", "002348031234567"]

describe("the numbers of --exclude are not written to", () => {
  it.live.each([
    ["one a line", `\n${number}\r\n\r\n+2348031234568`],
    ["a column", `name,Recipient,age\nAnn,"${number}",5\nBob,,6\nEve,+2348031234568,7\n`],
    ["a column, semicolons", `name;RECIPIENT\nAnn;${number}\nEve;+2348031234568\n`],
    ["quotes and trailing commas", `"${number}",\n+2348031234568,\n`],
    ["UTF-16", Buffer.from(`\ufeff${number}\r\n+2348031234568\r\n`, "utf16le")]
  ] as const)("%s", ([, list]) =>
    Effect.gen(function* () {
      const exclusions = yield* Exclusions.read(sourceOf(list), undefined)
      const rows = [...spellings, "+2348031234569", "+2348031234568"]
      const content = header + rows.map((recipient) => `${recipient},a\n`).join("")
      const found = yield* read(content, { exclusions })
      expect(found.map(({ message, problem }) => message ?? problem)).toEqual([
        ...spellings.map(() => "excluded"),
        "a",
        "excluded"
      ])
    })
  )

  it.live("in any spelling of the country", () =>
    Effect.gen(function* () {
      for (const listed of ["0803 123 4567", number, "234-803-123-4567"]) {
        const exclusions = yield* Exclusions.read(sourceOf(`${listed}\n12345\n`), normalize)
        const content = `${header}08031234567,a\n+234 (0) 803 123 4567,b\n08031234568,c\n`
        expect(yield* read(content, { exclusions, normalize })).toMatchObject([
          { line: 2, problem: "excluded" },
          { line: 3, problem: "excluded" },
          { line: 4, message: "c" }
        ])
      }
    })
  )

  it.live("and an empty list excludes nobody", () =>
    Effect.gen(function* () {
      const exclusions = yield* Exclusions.read(sourceOf("\n"), undefined)
      expect(exclusions.has(number)).toBe(false)
    })
  )

  it.live.each<[list: string, problem: string]>([
    [`${number}\nnone\n`, "line 2: it is not a phone number: it contains letters"],
    [`recipient\n${number}\n2.34803E+12\n`, "line 3: it is a number that a spreadsheet changed"],
    [`${number},+2348031234568\n`, "line 1: it has 2 cells"],
    ["phone,name\n1,2\n", "line 1: the column recipient is missing"],
    ["PK\u0003\u0004zip", "this is a workbook"]
  ])("and what is not a list of numbers stops all: %j", ([list, problem]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Exclusions.read(sourceOf(list), undefined))
      expect(error.isUsage).toBe(true)
      expect(error.message).toContain(problem)
    })
  )
})

const totalsOf = (content: string, options: Partial<ReadOptions>) =>
  Effect.gen(function* () {
    const totals = Totals.make()
    yield* Stream.runForEach(rowsOf(content, options), (row) =>
      Effect.sync(() => Totals.add(totals, row))
    )
    return totals
  })

describe("a second row to a recipient", () => {
  const repeated = `${header}${number},a\n${spellings.map((one) => `${one},b\n`).join("")}12,a\n+15550000001,a\n`

  it.live("is refused with its line, in any spelling", () =>
    Effect.gen(function* () {
      const options = { allowRepeats: false }
      const rows = yield* read(repeated, options)
      expect(rows[0]).toMatchObject({ message: "a" })
      for (const row of rows.slice(1, 5)) {
        expect(row).toMatchObject({
          field: "recipient",
          problem: expect.stringContaining("give --allow-repeats")
        })
      }
      expect(rows.at(-1)).toMatchObject({ line: 8, message: "a" })
      expect(yield* totalsOf(repeated, options)).toMatchObject({
        rows: 2,
        invalid: 5,
        repeated_recipients: 4
      })
    })
  )

  it.live("is sent if repeats are allowed", () =>
    Effect.gen(function* () {
      const options = { allowRepeats: true }
      expect(yield* totalsOf(repeated, options)).toMatchObject({
        rows: 6,
        invalid: 1,
        repeated_recipients: 4
      })
    })
  )

  it.live("is no second one if the earlier row is not sent", () =>
    Effect.gen(function* () {
      const exclusions = yield* Exclusions.read(sourceOf("+15550000001\n"), undefined)
      const rows = ["+15550000001,a", "+15550000001,a", "+15550000002,{a}", "+15550000002,a"]
      const options = { allowRepeats: false, exclusions }
      expect(yield* totalsOf(`${header}${rows.join("\n")}\n`, options)).toMatchObject({
        rows: 1,
        excluded: 2,
        invalid: 1,
        repeated_recipients: 0
      })
    })
  )

  it.live("is refused as a second row of its key, whatever it has", () =>
    Effect.gen(function* () {
      const content = "recipient,message,key\n10001,a,k\n10001,a,k\n10002,b,k\n"
      expect(yield* read(content)).toMatchObject([
        { message: "a" },
        { line: 3, field: "key" },
        { line: 4, field: "key" }
      ])
    })
  )
})

describe("a trial", () => {
  const content = `${header}12,a\n+15550000001,b\n+15550000002,b\n+15550000003,d\n{,e\n`

  it.live("has the first rows that can be sent, and the others are checked", () =>
    Effect.gen(function* () {
      const trial = { limit: 2 }
      expect(yield* read(content, { trial })).toMatchObject([
        { line: 2, field: "recipient" },
        { line: 3, message: "b" },
        { line: 4, message: "b" },
        { line: 5, problem: "over the limit" },
        { line: 6, field: "recipient" }
      ])
      expect(yield* totalsOf(content, { trial })).toMatchObject({
        rows: 2,
        invalid: 2,
        over_limit: 1,
        segments: 2
      })
    })
  )

  it.live("goes to one number, with keys that the real rows do not have", () =>
    Effect.gen(function* () {
      const keysOf = (text: string, trial = {}) =>
        Effect.map(Stream.runCollect(rowsOf(text, { trial })), (some) =>
          some
            .flatMap((row) => (row._tag === "Row" ? [row.row] : []))
            .map(({ key, request }) => [request.recipient, key] as const)
        )
      const to = "+15559999999"
      const keyed = "recipient,message,key\n+15550000001,b,k1\n+15550000002,b,k2\n"
      const [first, second] = yield* keysOf(keyed, { to })
      expect([first?.[0], second?.[0]]).toEqual([to, to])
      expect(first?.[1]).not.toBe(second?.[1])
      expect(["k1", "k2"]).not.toContain(first?.[1])
      // A corrected text is a new row of the trial.
      const [other] = yield* keysOf(keyed.replaceAll(",b,", ",c,"), { to })
      expect(other?.[1]).not.toBe(first?.[1])
    })
  )
})
