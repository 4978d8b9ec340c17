import { keyOf } from "@messaging-topup/mcp-server/src/send/Plan.ts"
import { describe, expect, it } from "vitest"
import { anyRoute, guarded, type Sms } from "../harness/mcp/GuardedServer.ts"

// What makes two calls the same SMS, and for how long. SameNumber.test.ts has the spellings of numbers, and
// SendModel.test.ts what follows from it.

const sms: Sms = {
  recipient: "+254700000001",
  message: "Hello",
  sender_id: "ACME1",
  scheduled_time: "2030-01-01T08:00:00Z"
}

const bare: Sms = { recipient: "+254700000001", message: "Hello" }

describe("the same SMS", () => {
  const different: Readonly<Record<string, Sms>> = {
    recipient: { ...sms, recipient: "+254700000002" },
    message: { ...sms, message: "Hello." },
    "a blank between letters": { ...sms, message: "Hel lo" },
    "a wide letter": { ...sms, message: "\uff28ello" },
    sender_id: { ...sms, sender_id: "ACME2" },
    "no sender_id": {
      recipient: sms.recipient,
      message: "Hello",
      scheduled_time: "2030-01-01T08:00:00Z"
    },
    scheduled_time: { ...sms, scheduled_time: "2030-01-01T08:00:01Z" },
    "no scheduled_time": { recipient: sms.recipient, message: "Hello", sender_id: "ACME1" },
    "sender and schedule swapped": {
      ...bare,
      sender_id: "2030-01-01T08:00:00Z",
      scheduled_time: "ACME1"
    }
  }

  it("treats another recipient, text, sender or schedule as another SMS", async () => {
    await using server = await guarded(anyRoute)
    await server.send(sms)
    for (const [what, other] of Object.entries(different)) {
      expect(await server.send(other), what).toMatchObject({ isError: false, duplicate: false })
    }
    expect(await server.sent()).toBe(1 + Object.keys(different).length)
  })
})

describe("the same text", () => {
  it.each([
    " Hello  w\u00f6rld ",
    "Hello\u00a0w\u00f6rld",
    "Hello\n\tw\u00f6rld",
    "Hel\u200blo w\u00f6rld\ufeff",
    "Hello wo\u0308rld",
    "\u202aHello w\u00f6rld\u202c",
    "Hello wo\u200b\u0308rld",
    "Hello\u2800w\u00f6rld",
    "Hello \u200b w\u00f6rld"
  ])("is %j, as far as a person can see", async (message) => {
    await using server = await guarded(anyRoute)
    await server.send({ ...bare, message: "Hello w\u00f6rld" })
    expect(await server.send({ ...bare, message })).toMatchObject({ duplicate: true })
    expect(await server.send({ ...bare, message: "hello w\u00f6rld" })).toMatchObject({
      duplicate: false
    })
  })
})

describe("the 20 hours for which an SMS counts as sent", () => {
  it("start when the first send ends, and a duplicate does not extend them", async () => {
    await using server = await guarded(anyRoute)
    await server.send(sms)
    server.pass("1199 minutes")
    const { duplicate, structured } = await server.send(sms)
    expect(duplicate).toBe(true)
    const { first_sent_at, window_ends_at } = structured
    const window = Date.parse(String(window_ends_at)) - Date.parse(String(first_sent_at))
    // From the claim to the end of the request, some time passes.
    expect(Math.round(window / 60_000)).toBe(20 * 60)
    server.pass("1 minute")
    // It no longer counts, but it went out.
    const again = await server.call("send_sms", { ...sms, again: true })
    expect(again.text).toContain("to send an SMS again needs the approval of a person")
    expect(await server.send(sms)).toMatchObject({ duplicate: false })
  })

  it("are told of a batch: until the first of them end, it sends only what was not sent", async () => {
    await using server = await guarded(anyRoute)
    const call = async (...recipients: ReadonlyArray<string>) => {
      const result = await server.call("send_sms_batch", { message: "Hello", recipients })
      const { next, sent_by_this_call, window_ends_at } = result.structured
      const until = String(window_ends_at)
      const minute = `${until.slice(0, 16).replace("T", " ")} UTC`
      return { isOwn: sent_by_this_call, next: String(next).replace(minute, "<end>"), until }
    }
    const unpaid = "+15550100402"
    const first = await call(bare.recipient, unpaid)
    const partly =
      "Until <end> the same call sends only what was not sent; later it sends again what was sent."
    expect(first.next).toContain(partly)
    const { structured } = await server.send(bare)
    // A batch is told when its claim counts no more: the end of the request is a little later.
    const later = Date.parse(String(structured["window_ends_at"])) - Date.parse(first.until)
    expect(Math.round(later / 60_000)).toBe(0)
    expect(later).toBeGreaterThanOrEqual(0)
    server.pass("60 minutes")
    const grown = await call(bare.recipient, "+254700000003")
    expect(grown.isOwn).toBe(true)
    expect(grown.until).toBe(structured["window_ends_at"])
    server.pass("1139 minutes")
    const repeated = await call(bare.recipient, "+254700000003")
    expect(repeated).toMatchObject({ isOwn: false, until: grown.until })
    expect(repeated.next).toContain(
      "Until <end> the same call sends nothing; later it sends again what was sent."
    )
    expect(await call(bare.recipient, unpaid)).toMatchObject({ isOwn: false, until: grown.until })
    server.pass("1 minute")
    expect(await call(bare.recipient, unpaid)).toMatchObject({ isOwn: true })
  })
})

it("two callers each have their own sends, and see no others", async () => {
  const keys = { ann: "a".repeat(40), bob: "b".repeat(40) }
  await using ann = await guarded({ era: "modern", over: "http" }, [], {
    environment: { MESSAGING_TOPUP_MCP_BEARER_KEYS: `ann:${keys.ann},bob:${keys.bob}` },
    key: keys.ann
  })
  await using bob = await ann.another(undefined, keys.bob)
  for (const each of [ann, bob]) {
    const { duplicate, messageIds } = await each.send(sms)
    expect(duplicate).toBe(false)
    expect((await each.call("list_recent_sends", {})).messageIds).toEqual(messageIds)
  }
})

it("its digest is made of the same parts in every version: with others, what was sent would go out again", () => {
  const partsOf = (request: Sms, webhook = {}) =>
    JSON.parse(keyOf(JSON.stringify, false, "ann", { ...request, ...webhook }))
  const parts = ["message", "service", "ann"]
  const { message, scheduled_time, sender_id } = sms
  const [, , , , recipient] = partsOf(sms)
  const needed = [...parts, "recipient", recipient, "message", message]
  expect(partsOf(sms)).toEqual([
    ...needed,
    "sender_id",
    sender_id,
    "scheduled_time",
    scheduled_time
  ])
  // The address of the operator makes no other SMS, and an absent field is no part: with one more, all would be another.
  const webhook = { webhook_url: "https://a.example/" }
  expect(partsOf(bare, webhook)).toEqual(needed)
})
