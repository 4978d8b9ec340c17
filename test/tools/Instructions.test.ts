import { describe, expect, it } from "vitest"
import { connect } from "../harness/mcp/McpClients.ts"

const instructionsWith = async (...args: ReadonlyArray<string>): Promise<string> => {
  await using client = await connect(undefined, { args: ["--sandbox", ...args] })
  return client.instructions ?? ""
}

describe("the instructions", () => {
  it("say what the server cannot do, and how to report a status", async () => {
    const text = await instructionsWith()
    expect(text).toContain(
      "It cannot buy airtime or data, show a balance or what an SMS costs, or cancel an SMS."
    )
    expect(text).toContain("quote its status and say what it plausibly means, marked as your own")
    expect(text.length).toBeLessThan(2_500)
    // A rule each: no paragraph is long.
    for (const paragraph of text.split("\n\n")) expect(paragraph.length).toBeLessThan(250)
  })

  it("name the guards that are set", async () => {
    expect((await instructionsWith()).split("\n\n").slice(-3)).toEqual([
      "A person is asked to approve each send, where the client can ask.",
      "It allows 10 segments an SMS, 100 SMS an hour and 2400 segments a day for all callers together.",
      "The same SMS again within 10m sends nothing and returns the first result; when the person wants it sent again, pass again true."
    ])
    const narrow = await instructionsWith(
      "--allow-recipients=+2547*",
      "--confirm=require",
      "--max-segments=2",
      "--max-sends-per-hour=5",
      "--max-segments-per-day=7",
      "--duplicate-window=0 seconds"
    )
    expect(narrow).toContain("where the client cannot ask, nothing is sent.")
    expect(narrow).toContain("Only numbers on its allow-list can be written to.")
    expect(narrow).toContain(
      "It allows 2 segments an SMS, 5 SMS an hour and 7 segments a day for all callers together."
    )
    expect(narrow).toContain("The same SMS again is sent again, unless its outcome is unknown.")
    expect(narrow).not.toContain("+2547")
    const everyone = await instructionsWith("--confirm=off", "--allow-recipients=*")
    expect(everyone).toContain("except for second sends")
    expect(everyone).not.toContain("allow-list")
  })

  it("say with --read-only that sending is off, and who can change it", async () => {
    expect(await instructionsWith("--read-only")).toContain(
      "It cannot send: --read-only turns that off, and only the person who runs the server can change it."
    )
  })
})
