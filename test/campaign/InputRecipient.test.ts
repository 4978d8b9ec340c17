import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { runs } from "../harness/Runs.ts"
import { alone } from "../harness/Command.ts"

const digit = fc.constantFrom(..."0123456789")
const digits = (minLength: number, maxLength = minLength) =>
  fc.string({ unit: digit, minLength, maxLength })

const separator = fc.constantFrom(" ", "-", ".", "\u00a0", "\u2011")

/** A Nigerian mobile number: as a phone shows it, as it is dialled, or as people group it. */
const number = fc
  .tuple(
    fc.constantFrom("+234 ", "(+234) ", "+234", "234", "00234", "0", "(0)"),
    digits(2),
    fc.tuple(separator, digits(3), separator, digits(4))
  )
  .map(([start, first, rest]) => `${start}8${first}${rest.join("")}`)

const joined = <A extends ReadonlyArray<unknown>>(
  ...parts: { [K in keyof A]: fc.Arbitrary<A[K]> }
) => fc.tuple<A[number][]>(...parts).map((some) => some.join(""))

/** What spreadsheets and people make of numbers, by the reason for which it is refused. */
const refused: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "a number that a spreadsheet changed": fc.oneof(
    joined(digits(10, 15), fc.constantFrom(".0", ".00", ",0", ",00", ".5")),
    joined(
      digits(1),
      fc.constantFrom(".", ","),
      digits(1, 9),
      fc.constantFrom("E+12", "e12", "E+09")
    ),
    joined(digits(1, 4), fc.constantFrom("E+12", "e+11")),
    joined(digits(1, 3), fc.constant(","), digits(3), fc.constant(","), digits(3))
  ),
  "an error of a spreadsheet": fc.constantFrom(
    "#REF!",
    "#N/A",
    "#VALUE!",
    "#NAME?",
    "#DIV/0!",
    "#BEZUG!"
  ),
  "it contains letters": fc.oneof(
    joined(number, fc.constantFrom(" ext. 12", "x5", " (Anna)", " home")),
    joined(fc.constantFrom("tel:", "Tel. ", "O"), number),
    fc.constantFrom("none", "n/a", "0803 CALL ME", "без номера")
  ),
  "more than one number": joined(
    number,
    fc.constantFrom(",", "; ", " / ", "/", " | ", " & ", "\n", "\r\n", " +", "+", "،"),
    fc.constantFrom("08031234567", "+2348031234567")
  ).filter((cell) => !/\+\s*\+/.test(cell)),
  "more than one number, or has more than 15 digits: give one number per row; if it is one, write nothing between its digits":
    fc.oneof(
      joined(digits(7, 10), fc.constantFrom(" ", "-", "/", "   "), digits(7, 10)),
      fc.constant("01511/0000001")
    ),
  "fewer than 5 digits": fc.oneof(digits(1, 4), joined(fc.constant("+"), digits(1, 4))),
  "more than 15 digits": joined(fc.constant("+"), fc.constant("9"), digits(15, 40)),
  "not a phone number": fc.oneof(
    joined(fc.constantFrom("''", "=", "*", "-", "~"), number),
    joined(number, fc.constantFrom("#", "*", "?", "%", "_")),
    fc.constantFrom("-", "+", "()", "...", "?", "+-+", "'")
  )
}

const csvOf = (cells: ReadonlyArray<string>) =>
  `recipient,message\n${cells.map((cell) => `"${cell}",a\n`).join("")}`

const withoutCountry: ReadonlyArray<string> = []
const preview = (content: string, args: ReadonlyArray<string>) =>
  alone(["run", "-", "--dry-run", "--campaign", "c", "--allow-repeats", ...args], {
    stdin: [content]
  })

const count = runs(1_000)

describe.each([[withoutCountry], [["--country", "NG"]]])("a recipient, %j", (args) => {
  it.live.each(Object.entries(refused))("is refused with its line: %s", ([reason, cells]) =>
    Effect.gen(function* () {
      const some = fc.sample(cells, count)
      const { code, events, stdout } = yield* preview(csvOf(some), args)
      expect(events.filter(({ event }) => event === "InvalidRow").map(({ line }) => line)).toEqual(
        some.map((_, index) => 2 + index)
      )
      for (const { event, field, problem } of events.slice(0, -2)) {
        expect({ event, field }).toEqual({ event: "InvalidRow", field: "recipient" })
        expect(problem).toContain(reason)
      }
      expect(events.at(-2)).toMatchObject({ event: "Totals", rows: 0, invalid: count })
      expect(code).toBe(3)
      for (const cell of some.filter((text) => text.length > 8)) expect(stdout).not.toContain(cell)
    })
  )

  it.live("is accepted as people write it", () =>
    Effect.gen(function* () {
      const { code, events } = yield* preview(
        csvOf([
          ...fc.sample(
            // The international prefix of Nigeria is 009.
            number.filter((cell) => args.length === 0 || !cell.startsWith("00")),
            count
          ),
          "\u202a+41 79 460 64 00\u202c",
          " (+41) 79.460.64.00 ",
          "+43 664/1234567",
          // A spreadsheet reads the mark as "this is text", and results writes it.
          "'+41 79 460 64 00"
        ]),
        args
      )
      expect(events.filter(({ event }) => event === "InvalidRow")).toEqual([])
      expect(code).toBe(0)
    })
  )
})

it.live("digits of another script need --country", () =>
  Effect.gen(function* () {
    const content = csvOf(["٠٨٠٣١٢٣٤٥٦٧", "＋2348031234568"])
    const [totals] = (yield* preview(content, ["--country", "NG"])).events
    expect(totals).toMatchObject({ event: "Totals", rows: 2 })
    const { events } = yield* preview(content, [])
    expect(events.slice(0, 3)).toMatchObject([
      { event: "InvalidRow", line: 2, problem: expect.stringContaining("give --country") },
      { event: "InvalidRow", line: 3 },
      { event: "Totals", rows: 0 }
    ])
  })
)
