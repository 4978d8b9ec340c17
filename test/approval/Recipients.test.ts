import { Phone } from "@messaging-topup/core/internal"
import {
  type AllowRule,
  allowed as allowedNumber,
  parseAllowRule
} from "@messaging-topup/mcp-server/src/AllowList.ts"
import { numbersIn } from "@messaging-topup/mcp-server/src/send/Recipient.ts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anyRoute, approve, guarded } from "../harness/mcp/GuardedServer.ts"
import { anyText } from "../harness/AnyText.ts"
import { runs } from "../harness/Runs.ts"

const allowList = ["--allow-recipients", "+2547*, +1 555-0100, 0700*"]

const person = () => approve

/** Texts that are not one number. Of them, a list would say that somebody can allow them. */
const notOne = [
  "Mom",
  "A and B",
  "tel:+254700000001",
  '["+254700000001"]',
  "+25470000000x",
  "+2547000000010000",
  "+254700000001-19005550100",
  "+254700000001\u066b+19005550100",
  "+254700000001%2C19005550100",
  "+2547\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0661",
  "++254700000001",
  "+2547*",
  "*"
]

/** Two numbers, of which the list allows the first or both. */
const several = [
  "+254700000001,+254700000002",
  "+254700000001;+19005550100",
  "+254700000001; +254700000002",
  "+254700000001 +254700000002",
  "+254 700 000 001 +254 700 000 002",
  "+254700000001+19005550100",
  "(+254) 700 000 001 (+254) 700 000 002",
  "+254700000001\uff0c+254700000002",
  "+254700000001\u200b+254700000002",
  "0700000001,\u00a00700000002"
]

/** Texts that could be two numbers, and texts that are no number. */
const unclear = [
  "254700000001 254700000002",
  "+254700000001 254700000002",
  "+254700000001 0015550100999",
  "0700 000 001 0700 000 002",
  "0700-000-001 0700-000-002",
  "254700000001-254700000002",
  "254700000001.254700000002",
  "+254700000001/254700000002",
  "+254700000001|19005550100",
  "0700000001 | 0700000002",
  "0700000001 & 0700000002",
  "0700000001 and 0700000002",
  "1234567 7654321",
  "1 ".repeat(40).trim(),
  "+44 (0)20 7946 0018",
  ",",
  "()"
]

const message = "Hello"

it.each([[allowList], [["--allow-recipients", "*"]]])(
  "what is not one number is not said to be missing from the list %j",
  async (list) => {
    await using server = await guarded(anyRoute, list)
    for (const recipient of notOne) {
      const { error, text } = await server.send({ recipient, message })
      expect(error, recipient).toMatchObject({ code: "recipient_unclear", outcome: "not-sent" })
      expect(text, recipient).not.toMatch(/list|allow/)
    }
    expect(await server.upstream.requests()).toEqual([])
  }
)

it.each([
  ["Mom", "is not a phone number"],
  ["+254700000001, +254700000002", "names several numbers"],
  ["+233(0)200000604", "has a (0), which is dialled only without the country code"],
  ["+25470000O001", "has letters"],
  ["+25470000#001", "has a sign between its digits"],
  // What a spreadsheet makes of a number: another one, which is somebody else's.
  ["+254700000001.0", "is a number that a spreadsheet changed"],
  ["254700000001,0", "is a number that a spreadsheet changed"],
  ["254,700,000,001", "is a number that a spreadsheet changed"],
  ["2.547E+11", "is a number that a spreadsheet changed"],
  ["2,547e+11", "is a number that a spreadsheet changed"],
  ["=+254700000001", "is not a phone number"],
  // What stands around a number is taken off once.
  [`="'+254700000001"`, "is not a phone number"],
  [`="="+254700000001""`, "is not a phone number"],
  [";'+254700000001", "is not a phone number"],
  ["#DIV/0!", "is an error of a spreadsheet"],
  ["+25470000000100000", "has more digits than one phone number, or names several"]
])("the refusal of %j says what is wrong", async (recipient, problem) => {
  await using server = await guarded(anyRoute, [], { person })
  const { text } = await server.send({ recipient, message })
  expect(text).toContain(`This call sent nothing: its recipient ${problem}.`)
  expect(server.questions).toEqual([])
})

it.each([[[]], [allowList]])(
  "a recipient that names several numbers is refused, %j",
  async (args) => {
    await using server = await guarded(anyRoute, args, { person })
    for (const recipient of [...several, ...unclear]) {
      const { error } = await server.send({ recipient, message })
      expect(error, recipient).toMatchObject({ outcome: "not-sent" })
      expect(["recipient_unclear", "recipient_not_allowed"], recipient).toContain(error["code"])
    }
    expect(server.questions).toEqual([])
    expect(await server.upstream.requests()).toEqual([])
  }
)

describe("an allow-list", () => {
  const digits = fc.stringMatching(/^[0-9]{1,12}$/)
  /** A normalised number: an optional `+`, then digits of which the first is not 0. */
  const number = fc
    .tuple(fc.constantFrom("+", ""), digits)
    .map(([plus, rest]) => ({ plus, rest: rest.replace(/^0+/, "7") }))
  const rule = fc.record({ number, exact: fc.boolean() })
  const separator = fc.constantFrom("", "", "", " ", "-", ".", "(", ")", "\u00a0", "\u2011")
  const spelled = (plus: string, rest: string) =>
    fc
      .tuple(
        plus === "" ? fc.constant("") : fc.constantFrom("+", "00"),
        fc.array(separator, { minLength: rest.length, maxLength: rest.length })
      )
      .map(([start, gaps]) => start + [...rest].map((digit, at) => `${gaps[at]}${digit}`).join(""))

  /** Numbers close to the rules: the digits of a rule, shortened or with more digits. */
  const scene = fc
    .tuple(fc.array(rule, { minLength: 1, maxLength: 3 }), number, fc.nat(3), fc.nat(12), digits)
    .chain(([list, other, pick, keep, more]) => {
      const near = list[pick]?.number
      const target =
        near === undefined
          ? other
          : {
              plus: near.plus,
              rest: `${near.rest.slice(0, Math.max(1, keep))}${keep % 2 === 0 ? more : ""}`
            }
      return fc.record({
        list: fc.constant(list),
        rules: fc.tuple(...list.map((one) => spelled(one.number.plus, one.number.rest))),
        target: fc.constant(target),
        recipient: spelled(target.plus, target.rest)
      })
    })

  const parsed = (texts: ReadonlyArray<string>): ReadonlyArray<AllowRule> =>
    texts.map(parseAllowRule).filter((one) => one !== undefined)

  it("allows a number exactly if its digits match a rule, in any spelling", () => {
    let both = [0, 0]
    fc.assert(
      fc.property(scene, ({ list, recipient, rules: texts, target }) => {
        // A number of the list is read as a recipient is: ServerSettings.test.ts.
        fc.pre(
          texts.every((text, at) => {
            const { problem } = Phone.read(text)
            const isShort = problem === "few-digits" && list[at]?.number.plus === ""
            return problem === undefined || isShort || list[at]?.exact === false
          })
        )
        const whole = target.plus + target.rest
        const matches = list.some(({ exact, number: one }) =>
          exact ? whole === one.plus + one.rest : whole.startsWith(one.plus + one.rest)
        )
        // A number has at most 15 digits.
        const expected = matches && target.rest.length <= 15
        const written = texts.map((text, at) => (list[at]?.exact === true ? text : `${text}*`))
        both = expected ? [both[0] ?? 0, (both[1] ?? 0) + 1] : [(both[0] ?? 0) + 1, both[1] ?? 0]
        expect(parsed(written)).toHaveLength(list.length)
        expect(allowedNumber(parsed(written), recipient)).toBe(expected ? whole : undefined)
      }),
      { numRuns: runs(10_000) }
    )
    expect(Math.min(...both)).toBeGreaterThan(100)
  })

  it("never allows anything but one number", () => {
    const junk = anyText({ minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(digits, junk, digits, (before, between, after) => {
        const recipient = `+2547${before}${between}${after}`
        fc.pre(!/^[ \u00a0\u2007\u2009\u202f\d().\u2010-\u2015-]*$/u.test(between))
        expect(allowedNumber(parsed(["+2547*"]), recipient)).toBeUndefined()
      }),
      { numRuns: runs(10_000) }
    )
  })
})

describe("the numbers in a recipient", () => {
  const digits = fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: 7, maxLength: 14 })
    .map((list) => `+1${list.join("")}`.slice(0, 16))

  it("are found with every separator", () => {
    fc.assert(
      fc.property(
        fc.array(digits, { minLength: 1, maxLength: 5 }),
        fc.constantFrom(",", ";", ", ", " ; ", " ", "  ", ""),
        (numbers, between) => {
          expect(numbersIn(numbers.join(between))).toEqual(numbers)
        }
      ),
      { numRuns: runs(5_000) }
    )
  })

  it("are one if a single number contains separators", () => {
    fc.assert(
      fc.property(digits, fc.array(fc.nat({ max: 14 }), { maxLength: 4 }), (number, gaps) => {
        const spaced = [...number].map((digit, at) => (gaps.includes(at) ? `${digit} ` : digit))
        expect(numbersIn(spaced.join(""))).toHaveLength(1)
      }),
      { numRuns: runs(5_000) }
    )
  })

  it.each([
    "short code",
    "ACME",
    "+254-700-000-001",
    "(0700) 000 001",
    "07700 900123",
    "tel:+254700000001"
  ])("are one in %j", (recipient) => {
    expect(numbersIn(recipient)).toEqual([recipient])
  })
})
