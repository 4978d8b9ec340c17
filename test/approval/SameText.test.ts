import { describe, expect, it } from "vitest"
import { errorBody } from "../harness/Contract.ts"
import { anyRoute, approve, guarded } from "../harness/mcp/GuardedServer.ts"

// Another time or another sender makes another SMS. Its person still gets the same text twice.

const sms = { recipient: "+254700000001", message: "Dinner?" }

const others = [
  [{ scheduled_time: "20:00" }, { scheduled_time: "21:00" }],
  [{ sender_id: "ACME" }, { sender_id: "Other" }],
  [{ sender_id: "ACME" }, {}],
  [{ recipient: "00254 700 000 001", scheduled_time: "20:00" }, {}]
] as const

describe("the same text to the same number as another SMS", () => {
  it.each(others)("is told in the question: %j, then %j", async (first, second) => {
    await using server = await guarded(anyRoute, [], { person: () => approve })
    await server.send({ ...sms, ...first })
    server.pass("5 minutes")
    await server.send({ ...sms, ...second })
    const [before, after] = server.questions
    expect(before).not.toContain("same text")
    expect(after).toMatch(
      /^Send this SMS\? The same text went to this number 5 minutes ago\. To \+254700000001, /
    )
  })

  it.each(others)(
    "is told to a person alone, not in a result: %j, then %j",
    async (first, second) => {
      for (const person of [undefined, () => approve]) {
        await using server = await guarded(anyRoute, [], { person })
        await server.send({ ...sms, ...first })
        server.pass("5 minutes")
        expect((await server.send({ ...sms, ...second })).whole).not.toContain("same text")
        expect(await server.sent()).toBe(2)
      }
    }
  )

  it("is told of an SMS that no longer counts, and of one that may have gone out", async () => {
    await using server = await guarded(anyRoute, [], { person: () => approve })
    await server.send(sms)
    server.pass("21 hours")
    await server.send(sms)
    expect(server.questions[1]).toContain("The same text went to this number 21 hours ago.")
    await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
    await server.send({ ...sms, scheduled_time: "20:00" })
    await server.send({ ...sms, scheduled_time: "21:00" })
    expect(server.questions[3]).toContain(
      "The same text went, or may have gone, to this number less than a minute ago."
    )
  })

  it("is told of an SMS that no longer counts, though the service refused it since", async () => {
    await using server = await guarded(anyRoute, [], { person: () => approve })
    await server.send(sms)
    server.pass("21 hours")
    const body = JSON.stringify(errorBody(400))
    await server.upstream.setFault({ fault: "Response", status: 400, body, times: 1 })
    expect((await server.send(sms)).error).toMatchObject({ code: "send_failed" })
    expect((await server.send(sms)).isError).toBe(false)
    expect(server.questions[2]).toContain("The same text went to this number 21 hours ago.")
  })

  it("is not told of another text, and not twice where the question says AGAIN", async () => {
    await using server = await guarded(anyRoute, [], { person: () => approve })
    await server.send(sms)
    await server.send({ ...sms, message: "Lunch?" })
    await server.send({ ...sms, again: true })
    expect(server.questions.join()).not.toContain("same text")
  })

  it("names the numbers of a batch in the question, and not in the result", async () => {
    await using server = await guarded(anyRoute, [], { person: () => approve })
    const recipients = [sms.recipient, "+254700000002"]
    await server.send(sms)
    const args = { message: sms.message, recipients, sender_id: "ACME" }
    const { whole } = await server.call("send_sms_batch", args)
    expect(server.questions[1]).toContain(
      "The same text went to +254700000001 less than a minute ago."
    )
    expect(whole).not.toContain("same text")
  })
})

it("who gets one again is named by number, and marked in the list", async () => {
  await using server = await guarded(anyRoute, [], { person: () => approve })
  const lost = "+15550000900"
  const recipients = ["+254700000001", lost, "+254700000002", "+15550000400"]
  const batch = { message: "Hello", recipients }
  await server.call("send_sms_batch", batch)
  await server.call("send_sms_batch", { ...batch, again: true })
  expect(server.questions[1]).toBe(
    'Send 2 of these 4 SMS, 1 of them AGAIN (+15550000900)? An earlier send of it may have gone out, so it can arrive twice. Left out: 2 sent before. 2 with country code +1, 2 segments: "Hello" To +15550000900 (AGAIN), +15550000400'
  )
  const many = Array.from({ length: 6 }, (_, at) => `+1555${at + 1}000900`)
  server.pass("1 minute")
  for (const recipient of many) await server.send({ recipient, message: "Many" })
  const rest = { message: "Many", recipients: [...many, "+254700000001"], again: true }
  await server.call("send_sms_batch", rest)
  const last = server.questions.at(-1) ?? ""
  expect(last).toMatch(/^Send 7 SMS, 6 of them AGAIN\? Earlier sends of these may/)
  for (const number of many) expect(last).toContain(`${number} (AGAIN)`)
})
