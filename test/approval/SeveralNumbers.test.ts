import { isClear, numbersIn } from "@messaging-topup/mcp-server/src/send/Recipient.ts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { runs } from "../harness/Runs.ts"
import { anyRoute, approve, guarded } from "../harness/mcp/GuardedServer.ts"

const several = [
  "+254700000001,+254700000002",
  "+254700000001; +254700000002",
  "+254700000001 +254700000002",
  "+254 700 000 001 +254 700 000 002",
  "+254700000001+254700000002",
  "(+254) 700 000 001 (+254) 700 000 002",
  "+254700000001\uff0c+254700000002",
  "+254700000001\u200b+254700000002",
  "0700000001,\u00a00700000002"
]

/** Texts that could be two numbers, and texts that are no number. */
const unclear = [
  "254700000001 254700000002",
  "0700 000 001 0700 000 002",
  "0700-000-001 0700-000-002",
  "254700000001-254700000002",
  "254700000001.254700000002",
  "+254700000001/254700000002",
  "0700000001 | 0700000002",
  "0700000001 & 0700000002",
  "0700000001 and 0700000002",
  "1234567 7654321",
  "1 ".repeat(249).trim(),
  "+44 (0)20 7946 0018",
  ",",
  "()"
]

const message = "Hello"

describe("a recipient that names several numbers", () => {
  it.each([[[]], [["--allow-recipients", "+2547*,0700*"]]])("is refused, with %j", async (args) => {
    await using server = await guarded(anyRoute, args, { person: () => approve })
    for (const recipient of several) {
      const { error } = await server.send({ recipient, message })
      expect(error, recipient).toMatchObject({ outcome: "not-sent" })
      expect(["too_many_recipients", "recipient_not_allowed"]).toContain(error["code"])
      if (args.length === 0) expect(error, recipient).toMatchObject({ recipients: 2 })
    }
    for (const recipient of unclear) {
      const { error, isError } = await server.send({ recipient, message })
      expect({ recipient, isError }).toEqual({ recipient, isError: true })
      expect(["recipient_unclear", "recipient_not_allowed"]).toContain(error["code"])
    }
    expect(server.questions).toEqual([])
    expect(await server.upstream.requests()).toEqual([])
  })
})

describe("a recipient", () => {
  it.each([
    ["+254 700-000 001", "+254700000001"],
    ["00254 (700) 000001", "+254700000001"],
    ["40404 50505", "4040450505"],
    [";;+254 700 000 003", "+254700000003"],
    ["+254700000001\u200b", "+254700000001"],
    ["+\uff12\uff15\uff14700000001", "+254700000001"],
    ["ACME", "ACME"]
  ])("%j is shown, sent and reported as %j", async (recipient, sent) => {
    await using server = await guarded(anyRoute, [], { person: () => approve })
    const result = await server.send({ recipient, message })
    const shown = sent === recipient ? JSON.stringify(sent) : sent
    expect(server.questions[0]).toBe(`Send this SMS? To ${shown}, 1 segment: "Hello"`)
    expect(await server.upstream.messages()).toMatchObject([{ recipient: sent }])
    expect(result.structured["data"]).toMatchObject([{ recipient: sent }])
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
    expect(isClear(recipient)).toBe(true)
  })
})
