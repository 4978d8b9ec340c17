import { describe, expect, it } from "vitest"
import { anyRoute, eachOnce, guarded } from "../harness/mcp/GuardedServer.ts"
import { runInProcess } from "../harness/mcp/Server.ts"

const recipient = "+254700000001"

/** The longest texts with so many segments: 153 septets or 67 units each. */
const gsm = (segments: number) => "a".repeat(153 * segments)
const ucs2 = (segments: number) => "\u0416".repeat(67 * segments)

describe("segments", () => {
  it("sends 10 segments and refuses 11", async () => {
    await using server = await guarded(anyRoute)
    for (const most of [gsm(10), ucs2(10)]) {
      expect(await server.send({ recipient, message: most })).toMatchObject({ isError: false })
      const response = await server.send({ recipient, message: `${most}${most[0]}` })
      expect(response.error).toMatchObject({
        code: "too_many_segments",
        segments: 11,
        max_segments: 10
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

  it("are beside the segments per day, which are counted beyond the hour", async () => {
    await using server = await guarded(anyRoute, ["--max-segments-per-day", "3"])
    const send = (message: string) => server.send({ recipient, message })
    const two = "a".repeat(300)
    expect((await send(two)).isError).toBe(false)
    server.pass("2 hours")
    expect((await send(`${two}b`)).error).toMatchObject({ code: "limit_reached", limit: 3 })
    expect((await send("one")).isError).toBe(false)
    expect((await send("two")).error).toMatchObject({ code: "limit_reached" })
    server.pass("22 hours")
    expect((await send(`${two}b`)).isError).toBe(false)
    expect(await server.sent()).toBe(3)
  })

  it("is not named where the segments per day hold longer", async () => {
    const args = ["--max-sends-per-hour", "1", "--max-segments-per-day", "1"]
    await using server = await guarded(anyRoute, args)
    expect((await server.send({ recipient, message: "one" })).isError).toBe(false)
    const { error, text } = await server.send({ recipient, message: "two" })
    expect(error).toMatchObject({ code: "limit_reached" })
    expect(text).toContain("it can go out in 24 hours")
    server.pass("1 day")
    expect((await server.send({ recipient, message: "two" })).isError).toBe(false)
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

describe("with several named callers", () => {
  const keys = {
    ann: "ann-key-01234567890123456789012345678901",
    bob: "bob-key-01234567890123456789012345678901"
  }

  const withKeys = (names: ReadonlyArray<keyof typeof keys>, args: ReadonlyArray<string>) =>
    guarded({ era: "legacy", over: "http" }, ["--max-sends-per-hour", "4", ...args], {
      environment: {
        MESSAGING_TOPUP_MCP_BEARER_KEYS: names.map((name) => `${name}:${keys[name]}`).join(",")
      },
      key: keys.ann
    })

  it("each has half of the limits, and refusals and the tool say whose limit it is", async () => {
    await using ann = await withKeys(["ann", "bob"], [])
    await using bob = await ann.another(undefined, keys.bob)
    const { tools } = await ann.client.listTools()
    expect(tools.find(({ name }) => name === "send_sms")?.description).toContain(
      "4 SMS an hour, 2400 segments a day, 50 % of it for this caller."
    )
    for (const message of ["one", "two"]) {
      expect((await ann.send({ recipient, message })).isError).toBe(false)
    }
    const refused = await ann.send({ recipient, message: "three" })
    expect(refused.error).toMatchObject({
      code: "limit_reached",
      limit: 2,
      limit_of: "this_caller"
    })
    expect(refused.text).toContain("at most 2 SMS go out in 60 minutes for this caller")
    expect(refused.text).toContain("--max-caller-share (MESSAGING_TOPUP_MCP_MAX_CALLER_SHARE)")
    expect((await bob.send({ recipient, message: "one" })).isError).toBe(false)
  })

  it("the limits of all together stay", async () => {
    await using ann = await withKeys(["ann", "bob"], ["--max-caller-share", "75"])
    await using bob = await ann.another(undefined, keys.bob)
    for (const message of ["one", "two", "three"]) await ann.send({ recipient, message })
    await bob.send({ recipient, message: "one" })
    const refused = await bob.send({ recipient, message: "two" })
    expect(refused.error).toMatchObject({ limit: 4, limit_of: "all_callers" })
    expect(refused.text).toContain("at most 4 SMS go out in 60 minutes for all callers together")
    expect(await ann.sent()).toBe(4)
  })

  it("a single one has all of it", async () => {
    await using ann = await withKeys(["ann"], [])
    for (const message of ["one", "two", "three"]) {
      expect((await ann.send({ recipient, message })).isError).toBe(false)
    }
  })
})

it("a share of the limits needs several named callers", async () => {
  const { code, stderr } = await runInProcess(["--sandbox", "--max-caller-share", "20"])
  expect(code).toBe(2)
  expect(stderr).toContain("--max-caller-share (MESSAGING_TOPUP_MCP_MAX_CALLER_SHARE): it needs")
})
