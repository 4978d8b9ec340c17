import { describe, expect, it } from "vitest"
import { anyRoute, eachOnce, guarded } from "./support/GuardedServer.ts"

const message = "Your table is ready."

const recipient = "+254700000001"

describe.for(eachOnce)("preview_sms, $era over $over", (route) => {
  it("checks a recipient, and shows the form that would be sent", async () => {
    await using server = await guarded(route, ["--allow-recipients", "+2547*"])
    const spaced = await server.call("preview_sms", { message, recipient: "00254 700-000 001" })
    expect(spaced.structured).toMatchObject({ recipient, segments: 1 })
    const other = await server.call("preview_sms", { message, recipient: "+15550100123" })
    expect(other.isError).toBe(false)
    expect(other.text).toMatch(
      /^The text takes 1 segment .*\. It cannot be sent: the recipient is not on the list of allowed recipients of this server\.$/
    )
    expect(other.structured).not.toHaveProperty("recipient")
    expect(await server.upstream.requests()).toEqual([])
  })

  it("says with a recipient what is left of the hour and the day", async () => {
    await using server = await guarded(route, [
      "--confirm=off", "--allow-recipients=*",
      "--max-sends-per-hour=5",
      "--max-segments-per-day=9"
    ])
    const left = async () => {
      const { structured } = await server.call("preview_sms", { message, recipient })
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
  it("says that a number has no country code, and that a recipient is unclear", async () => {
    await using server = await guarded(anyRoute)
    const local = await server.call("preview_sms", { message, recipient: "0700 000 001" })
    expect(local.text).toContain("The recipient has no + and country code: ask the person for it.")
    expect(local.structured).toMatchObject({ recipient: "0700000001" })
    const two = await server.call("preview_sms", { message, recipient: `${recipient}, +1` })
    expect(two.text).toContain("It cannot be sent: ")
  })

  it("returns the text with the usual replacements where they save a segment", async () => {
    await using server = await guarded(anyRoute)
    const long = "a".repeat(70)
    const text = async (given: string) =>
      (await server.call("preview_sms", { message: given })).structured["text_if_replaced"]
    expect(await text(`\u201c${long}\u201d \u2013 it\u2019s`)).toBe(`"${long}" - it's`)
    // A result shows a line break as its code point, so the text would not be the same.
    expect(await text(`\u201c${long}\u201d\nSecond line`)).toBeUndefined()
    expect(await text("it\u2019s")).toBeUndefined()
  })

  it("says nothing of limits where no tool sends", async () => {
    await using server = await guarded(anyRoute, ["--read-only"])
    const { structured } = await server.call("preview_sms", { message })
    expect(structured).not.toHaveProperty("sends_left_this_hour")
  })
})
