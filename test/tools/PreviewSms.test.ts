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
          "it cannot be sent: the recipient is not on the list of allowed recipients of this server"
      },
      { recipient: "0700 000 001", problem: "no + and country code: ask the person for it" },
      { recipient: `${recipient}, +1`, problem: expect.stringMatching(/^it cannot be sent: /) }
    ])
    expect(await server.upstream.requests()).toEqual([])
  })

  it("says with recipients what is left of the hour and the day", async () => {
    await using server = await guarded(route, [
      "--confirm=off",
      "--allow-recipients=*",
      "--max-sends-per-hour=5",
      "--max-segments-per-day=9"
    ])
    const left = async () => {
      const { structured } = await server.call("preview_sms", { message, recipients: [recipient] })
      return [structured["sends_left_this_hour"], structured["segments_left_today"]]
    }
    expect(await left()).toEqual([5, 9])
    const ofText = await server.call("preview_sms", { message })
    expect(ofText.structured).not.toHaveProperty("segments_left_today")
    await server.send({ recipient, message: "x".repeat(400) })
    expect(await left()).toEqual([4, 6])
    await server.call("send_sms_batch", { message, recipients: ["+254700000002", recipient] })
    expect(await left()).toEqual([2, 4])
    server.pass("61 minutes")
    expect(await left()).toEqual([5, 4])
  })
})

describe("preview_sms", () => {
  it("says nothing of limits where no tool sends", async () => {
    await using server = await guarded(anyRoute, ["--read-only"])
    const { structured } = await server.call("preview_sms", { message, recipients: [recipient] })
    expect(structured).not.toHaveProperty("sends_left_this_hour")
  })

  it("refuses more recipients than a batch can have", async () => {
    await using server = await guarded(anyRoute)
    const recipients = Array.from({ length: 101 }, () => recipient)
    const { error } = await server.call("preview_sms", { message, recipients })
    expect(error).toMatchObject({ code: "invalid_arguments" })
  })
})
