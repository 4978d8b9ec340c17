import {
  type AllowRule,
  allowed as allowedNumber,
  parseAllowRule
} from "@messaging-topup/mcp-server/src/send/Recipient.ts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anyRoute, eachOnce, type Guarded, guarded } from "../harness/mcp/GuardedServer.ts"
import { anyText } from "../harness/AnyText.ts"
import { runs } from "../harness/Runs.ts"

const rules = ["--allow-recipients", "+2547*, +1 555-0100"]

const sendTo = (server: Guarded, recipients: ReadonlyArray<string>) =>
  Promise.all(
    recipients.map((recipient, index) => server.send({ recipient, message: `Text ${index}` }))
  )

const allowed = [
  "+254700000001",
  "+254 700 000 001",
  "+254-700-000-001",
  "+254\u2011700\u2013000\u2014001",
  "+254\u00a0700.000.001",
  "00254700000001",
  "00 254 (700) 000001",
  "+15550100",
  "+1 (555) 0100",
  "0015550100"
]

const refused = [
  // Another number.
  "+19005550100",
  "+25470000000x",
  "+155501001",
  "+1555010",
  "15550100",
  "254700000001",
  "+2546700000001",
  // Several numbers, of which only the first is allowed.
  "+254700000001,+19005550100",
  "+254700000001;+19005550100",
  "+254700000001|19005550100",
  "+254700000001\u066b+19005550100",
  "+254700000001+19005550100",
  "+254700000001/19005550100",
  "+254700000001%2C19005550100",
  "+254700000001 0015550100999",
  "+254700000001 254700000002",
  "+254700000001-19005550100",
  "+2547000000010000",
  // Digits of other scripts, and other plus signs.
  "+2547\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0661",
  "+\uff12\uff15\uff14700000001",
  "\uff0b254700000001",
  "+254700000001\u200b",
  "++254700000001",
  "+2547*",
  "*"
]

describe.for(eachOnce)("$era over $over", (route) => {
  it("sends to the numbers and prefixes of the list in every spelling", async () => {
    await using server = await guarded(route, rules)
    const responses = await sendTo(server, allowed)
    expect(responses.map(({ isError, text }) => (isError ? text : "sent"))).toEqual(
      allowed.map(() => "sent")
    )
    const accepted = await server.upstream.messages()
    // In the form that was compared: the service could read another spelling as another number.
    expect(new Set(accepted.map(({ recipient }) => recipient))).toEqual(
      new Set(["+254700000001", "+15550100"])
    )
    expect(accepted).toHaveLength(allowed.length)
  })

  it("refuses all other numbers with the same text, and says how to allow them", async () => {
    await using server = await guarded(route, rules)
    const responses = await sendTo(server, refused)
    expect(responses.map(({ error }) => error["code"])).toEqual(
      refused.map(() => "recipient_not_allowed")
    )
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect(responses[0]?.text).toMatch(/^The SMS was not sent: the recipient is not on the list/)
    expect(responses[0]?.text).toContain(
      "--allow-recipients (MESSAGING_TOPUP_MCP_ALLOW_RECIPIENTS)"
    )
    expect(await server.sent()).toBe(0)
  })
})

describe("a list of numbers", () => {
  it("refuses before a person is asked", async () => {
    await using server = await guarded(anyRoute, rules, { person: () => ({ action: "accept" }) })
    const response = await server.send({ recipient: "+19005550100", message: "Hello" })
    expect(response.error).toMatchObject({ code: "recipient_not_allowed" })
    expect(server.questions).toEqual([])
  })
})

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
