import { describe, expect, it } from "vitest"
import { anyRoute, approve, guarded } from "../harness/mcp/GuardedServer.ts"

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

// ServerTests.ts has the hour, and the limit of all callers together.
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

  it.each([
    ["each SMS needs", []],
    ["a doubtful one needs", ["--confirm=off", "--allow-recipients=*"]]
  ] as const)("asks no person when the limit is reached, where %s an approval", async (_, args) => {
    await using server = await guarded(anyRoute, [...args, "--max-sends-per-hour=1"], {
      person: () => approve
    })
    const doubtful = { recipient, message: "Hi {name}" }
    expect(await server.send(doubtful)).toMatchObject({ isError: false })
    expect(server.questions).toHaveLength(1)
    const late = await server.send({ ...doubtful, message: "Hi {first name}" })
    expect(late.error).toMatchObject({ code: "limit_reached", outcome: "not-sent" })
    expect(server.questions).toHaveLength(1)
  })

  it("checks the limit again after the approval", async () => {
    const filling = Promise.withResolvers<void>()
    await using server = await guarded(anyRoute, ["--max-sends-per-hour", "1"], {
      person: async (question) => {
        if (question.includes("slow")) await filling.promise
        return approve
      }
    })
    const slow = server.send({ recipient, message: "slow" })
    expect((await server.send({ recipient, message: "quick" })).isError).toBe(false)
    filling.resolve()
    expect((await slow).error["code"]).toBe("limit_reached")
    expect(await server.sent()).toBe(1)
  })
})
