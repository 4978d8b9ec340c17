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
  it("refuses more recipients than a batch can have", async () => {
    await using server = await guarded(anyRoute)
    const recipients = Array.from({ length: 101 }, () => recipient)
    const { error } = await server.call("preview_sms", { message, recipients })
    expect(error).toMatchObject({ code: "invalid_arguments" })
  })
})
