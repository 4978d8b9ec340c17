import { describe, expect, it } from "vitest"
import { anyRoute, eachOnce, guarded } from "../harness/mcp/GuardedServer.ts"

const recipient = "+254700000001"

/** The longest texts with so many segments: 153 septets or 67 units each. */
const gsm = (segments: number) => "a".repeat(153 * segments)
const ucs2 = (segments: number) => "\u0416".repeat(67 * segments)

describe("segments", () => {
  it("sends 6 segments and refuses 7", async () => {
    await using server = await guarded(anyRoute)
    for (const most of [gsm(6), ucs2(6)]) {
      expect(await server.send({ recipient, message: most })).toMatchObject({ isError: false })
      const response = await server.send({ recipient, message: `${most}${most[0]}` })
      expect(response.error).toMatchObject({
        code: "too_many_segments",
        segments: 7,
        max_segments: 6
      })
    }
    expect(await server.sent()).toBe(2)
  })
})

describe.for(eachOnce)("sends per hour, $era over $over", (route) => {
  it("refuses one more than --max-sends-per-hour until 60 minutes after the first", async () => {
    await using server = await guarded(route, ["--max-sends-per-hour", "2"])
    const send = (message: string) => server.send({ recipient, message })
    expect((await send("one")).isError).toBe(false)
    server.pass("20 minutes")
    expect((await send("two")).isError).toBe(false)
    server.pass("10 minutes")
    const { error } = await send("three")
    expect(error).toMatchObject({ code: "limit_reached", limit: 2 })
    const left = Number(error["retry_after_seconds"])
    expect(left).toBeGreaterThan(29 * 60)
    expect(left).toBeLessThanOrEqual(30 * 60)
    server.pass("29 minutes")
    expect((await send("three")).error["code"]).toBe("limit_reached")
    server.pass("1 minute")
    expect((await send("three")).isError).toBe(false)
    expect((await send("four")).error["code"]).toBe("limit_reached")
    expect(await server.sent()).toBe(3)
  })
})

describe("sends per hour", () => {
  it("returns a duplicate when the limit is reached, and does not count it", async () => {
    await using server = await guarded(anyRoute, ["--max-sends-per-hour", "2"])
    const first = await server.send({ recipient, message: "one" })
    for (let time = 0; time < 3; time++) {
      const again = await server.send({ recipient, message: "one" })
      expect(again).toMatchObject({ duplicate: true, messageIds: first.messageIds })
    }
    expect((await server.send({ recipient, message: "two" })).isError).toBe(false)
    expect((await server.send({ recipient, message: "three" })).isError).toBe(true)
    expect(await server.send({ recipient, message: "two" })).toMatchObject({ duplicate: true })
    expect(await server.sent()).toBe(2)
  })

  it("asks no person when the limit is reached, and checks again after the approval", async () => {
    const filling = Promise.withResolvers<void>()
    await using server = await guarded(anyRoute, ["--max-sends-per-hour", "1"], {
      person: async (question) => {
        if (question.includes("slow")) await filling.promise
        return { action: "accept" }
      }
    })
    const slow = server.send({ recipient, message: "slow" })
    expect((await server.send({ recipient, message: "quick" })).isError).toBe(false)
    filling.resolve()
    expect((await slow).error["code"]).toBe("limit_reached")
    const asked = server.questions.length
    expect((await server.send({ recipient, message: "late" })).error["code"]).toBe("limit_reached")
    expect(server.questions).toHaveLength(asked)
    expect(await server.sent()).toBe(1)
  })
})

it("callers with keys of their own share the limit", async () => {
  const keys = { ann: "a".repeat(40), bob: "b".repeat(40) }
  const route = { era: "legacy", over: "http" } as const
  await using ann = await guarded(route, ["--max-sends-per-hour", "4"], {
    environment: { MESSAGING_TOPUP_MCP_BEARER_KEYS: `ann:${keys.ann},bob:${keys.bob}` },
    key: keys.ann
  })
  await using bob = await ann.another(undefined, keys.bob)
  for (const message of ["one", "two", "three"]) await ann.send({ recipient, message })
  await bob.send({ recipient, message: "one" })
  const refused = await bob.send({ recipient, message: "two" })
  expect(refused.error).toMatchObject({ limit: 4 })
  expect(refused.text).toContain("at most 4 SMS go out in an hour for all callers together")
  expect(await ann.sent()).toBe(4)
})
