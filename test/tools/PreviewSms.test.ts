import { describe, expect, it } from "vitest"
import { anyRoute, eachOnce, guarded } from "../harness/mcp/GuardedServer.ts"

const message = "Your table is ready."

const recipient = "+254700000001"

describe.for(eachOnce)("preview_sms, $era over $over", (route) => {
  it("checks recipients, and names those with a problem", async () => {
    await using server = await guarded(route, ["--allow-recipients", "+2547*, 07*"])
    const recipients = ["00254 700-000 001", "+15550100123", "0700 000 001", `${recipient}, +1`]
    const { isError, structured, text } = await server.call("preview_sms", { message, recipients })
    expect(isError).toBe(false)
    expect(text).toBe("The text takes 1 segment in GSM-7. Of 4 recipients, 3 have problems.")
    expect(structured["problems"]).toEqual([
      {
        recipient: "+15550100123",
        problem:
          "it cannot be sent: the recipient, as it is written, is not on the list of allowed recipients of this server"
      },
      { recipient: "0700 000 001", problem: "no + and country code: ask the person for it" },
      { recipient: `${recipient}, +1`, problem: expect.stringMatching(/^it cannot be sent: /) }
    ])
    expect(await server.upstream.requests()).toEqual([])
  })
})

describe("preview_sms", () => {
  it("says what it checked, or which limit holds them back", async () => {
    const args = ["--max-sends-per-hour=3", "--max-batch=4", "--max-segments=2"]
    await using server = await guarded(anyRoute, args)
    const textFor = async (count: number, text = message) => {
      const recipients = Array.from({ length: count }, (_, at) => `${recipient}${at}`)
      return (await server.call("preview_sms", { message: text, recipients })).text
    }
    const allow =
      "the length and the limits allow it now; whether it was sent before is not checked."
    expect(await textFor(3)).toBe(`The text takes 1 segment in GSM-7. All 3 numbers, ${allow}`)
    await server.send({ recipient, message })
    expect(await textFor(2)).toContain(` All 2 numbers, ${allow}`)
    expect(await textFor(1)).toBe(`The text takes 1 segment in GSM-7. The number, ${allow}`)
    expect(await textFor(3)).toMatch(
      / It cannot be sent to all of them: at most 3 SMS .* 2 of its SMS/
    )
    expect(await textFor(5)).toMatch(/ the batch has 5 rows, and this server allows 4\.$/)
    expect(await textFor(1, "x".repeat(400))).toMatch(
      / It cannot be sent: its text takes 3 segments, and this server allows 2\.$/
    )
  })

  it("says how many segments a text takes without the characters that force UCS-2", async () => {
    await using server = await guarded(anyRoute)
    const textOf = async (text: string) =>
      (await server.call("preview_sms", { message: text })).text
    expect(await textOf(`Ann’s table${" is ready".repeat(10)} 🎉`)).toBe(
      "The text takes 2 segments in UCS-2. With plain letters for ucs2_characters, it takes 1."
    )
    expect(await textOf("Ann’s table 🎉")).toBe("The text takes 1 segment in UCS-2.")
  })

  it("refuses more recipients than a batch can have", async () => {
    await using server = await guarded(anyRoute)
    const recipients = Array.from({ length: 101 }, () => recipient)
    const { error } = await server.call("preview_sms", { message, recipients })
    expect(error).toMatchObject({ code: "invalid_arguments" })
  })
})
