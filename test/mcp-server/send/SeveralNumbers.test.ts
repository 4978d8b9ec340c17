import { isClear, numbersIn } from "@messaging-topup/mcp-server/src/send/Recipient.ts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { runs } from "../../support/Runs.ts"
import { anyRoute, approve, guarded } from "../support/GuardedServer.ts"

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
  ",",
  "()"
]

const message = "Hello"

describe("a recipient that names several numbers", () => {
  it("is refused", async () => {
    await using server = await guarded(anyRoute)
    for (const recipient of several) {
      const { error, text } = await server.send({ recipient, message })
      expect(error, recipient).toMatchObject({
        code: "too_many_recipients",
        recipients: 2,
        max_recipients: 1,
        outcome: "not-sent"
      })
      expect(text).toContain("--max-recipients (MESSAGING_TOPUP_MCP_MAX_RECIPIENTS)")
    }
    expect(await server.upstream.received()).toEqual([])
  })

  it("is refused if it is unclear or names no number, however many are allowed", async () => {
    for (const args of [[], ["--max-recipients", "9"], ["--allow-recipients", "+2547*,0700*"]]) {
      await using server = await guarded(anyRoute, args, { person: () => approve })
      for (const recipient of unclear) {
        const { error, isError } = await server.send({ recipient, message })
        expect({ recipient, isError }).toEqual({ recipient, isError: true })
        expect(["recipient_unclear", "recipient_not_allowed"]).toContain(error["code"])
      }
      expect(await server.upstream.received()).toEqual([])
    }
  })

  it("is the same SMS in any order, and with separators around it", async () => {
    await using server = await guarded(anyRoute, ["--max-recipients", "2"])
    await server.send({ recipient: "+254700000001,+254700000002", message })
    for (const recipient of [
      "+254700000002;+254 700 000 001",
      ",+254700000001,+254700000002;",
      "+254700000001 +254700000002"
    ]) {
      expect(await server.send({ recipient, message }), recipient).toMatchObject({
        duplicate: true
      })
    }
    await server.send({ recipient: "+254700000003", message })
    expect(await server.send({ recipient: ";;+254 700 000 003", message })).toMatchObject({
      duplicate: true
    })
    expect(await server.sent()).toBe(2)
  })

  it("lists and counts each number, if the operator allows several", async () => {
    const args = ["--max-recipients", "2", "--max-sends-per-hour", "3"]
    await using server = await guarded(anyRoute, args, { person: () => approve })
    const [first = ""] = several
    expect((await server.send({ recipient: first, message })).isError).toBe(false)
    expect(server.questions[0]).toContain('To "+254700000001,+254700000002", 1 segment')
    const refused = await server.send({ recipient: first, message: "Another" })
    expect(refused.error).toMatchObject({ code: "hourly_limit_reached" })
    expect((await server.send({ recipient: "+254700000003", message })).isError).toBe(false)
    expect((await server.send({ recipient: `${first},+1`, message })).error).toMatchObject({
      code: "too_many_recipients",
      recipients: 3
    })
  })

  it("is accepted only if each number is allowed", async () => {
    const args = ["--max-recipients", "2", "--allow-recipients", "+2547*"]
    await using server = await guarded(anyRoute, args)
    expect(
      (await server.send({ recipient: "+254700000001;+19005550100", message })).error
    ).toMatchObject({ code: "recipient_not_allowed" })
    expect(
      (await server.send({ recipient: "+254 700 000 001; 00254700000002", message })).isError
    ).toBe(false)
    expect(await server.upstream.accepted()).toMatchObject([
      { recipient: "+254700000001,+254700000002" }
    ])
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
    "+44 (0)20 7946 0018",
    "tel:+254700000001"
  ])("are one in %j", (recipient) => {
    expect(numbersIn(recipient)).toEqual([recipient])
    expect(isClear(recipient)).toBe(true)
  })
})
