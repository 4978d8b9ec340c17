import { describe, expect, it } from "vitest"
import {
  anyRoute,
  type Connection,
  eachOnce,
  guarded,
  httpRoutes,
  type Sms
} from "../support/GuardedServer.ts"

const sms: Sms = {
  recipient: "+254700000001",
  message: "Hello",
  sender_id: "ACME",
  scheduled_time: "2030-01-01T08:00:00Z"
}

const bare: Sms = { recipient: "+254700000001", message: "Hello" }

describe.for(eachOnce)("$era over $over", (route) => {
  it("returns the first result for the same SMS, and sends it once", async () => {
    await using server = await guarded(route)
    const first = await server.send(sms)
    expect(first).toMatchObject({ isError: false, duplicate: false })
    expect(first.messageIds).toHaveLength(1)
    for (let time = 0; time < 2; time += 1) {
      const again = await server.send(sms)
      expect(again).toMatchObject({ isError: false, duplicate: true, messageIds: first.messageIds })
      expect(again.text).toMatch(
        /^This call sent nothing: an earlier call sent the same SMS \d+ s ago/
      )
    }
    expect(await server.sent()).toBe(1)
  })

  it("shares one send between 20 concurrent calls", async () => {
    await using server = await guarded(route)
    const responses = await Promise.all(Array.from({ length: 20 }, () => server.send(sms)))
    expect(responses.filter(({ duplicate }) => duplicate === false)).toHaveLength(1)
    expect(responses.filter(({ duplicate }) => duplicate === true)).toHaveLength(19)
    expect(new Set(responses.flatMap(({ messageIds }) => messageIds)).size).toBe(1)
    expect(await server.sent()).toBe(1)
  })
})

describe("a server on stdio", () => {
  it("treats every spelling of a number as the same", async () => {
    await using server = await guarded(anyRoute)
    const first = await server.send(bare)
    for (const recipient of [
      "+254 700-000 001",
      "00254700000001",
      "254700000001",
      "+254-700-000-001/",
      "tel:+254700000001",
      "TEL:+254-700-000-001",
      "+\uff12\uff15\uff14\uff17\uff10\uff10\uff10\uff10\uff10\uff10\uff10\uff11",
      "+254700\u200b000001",
      "\u202a+254700000001\u202c",
      "+254\u3000700\u2003000001",
      "(+254) 700.000.001",
      "+254700000001,",
      "00254\u2011700\u2212000\u2013001"
    ]) {
      expect(await server.send({ ...bare, recipient }), recipient).toMatchObject({
        isError: false,
        duplicate: true,
        messageIds: first.messageIds
      })
    }
    expect(await server.sent()).toBe(1)
  })

  const different: Readonly<Record<string, Sms>> = {
    recipient: { ...sms, recipient: "+254700000002" },
    message: { ...sms, message: "Hello." },
    sender_id: { ...sms, sender_id: "ACME2" },
    "no sender_id": {
      recipient: sms.recipient,
      message: "Hello",
      scheduled_time: "2030-01-01T08:00:00Z"
    },
    scheduled_time: { ...sms, scheduled_time: "2030-01-01T08:00:01Z" },
    "no scheduled_time": { recipient: sms.recipient, message: "Hello", sender_id: "ACME" },
    "sender and schedule swapped": {
      ...bare,
      sender_id: "2030-01-01T08:00:00Z",
      scheduled_time: "ACME"
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

  it("sends again after the window, which starts when the first send ends", async () => {
    await using server = await guarded(anyRoute)
    const first = await server.send(sms)
    server.pass("9 minutes")
    expect(await server.send(sms)).toMatchObject({ duplicate: true })
    // A duplicate does not extend the window.
    server.pass("1 minute")
    const second = await server.send(sms)
    expect(second).toMatchObject({ isError: false, duplicate: false })
    expect(second.messageIds).not.toEqual(first.messageIds)
    expect(await server.sent()).toBe(2)
  })

  it("uses the window of --duplicate-window", async () => {
    await using server = await guarded(anyRoute, ["--duplicate-window", "2 hours"])
    await server.send(sms)
    server.pass("119 minutes")
    expect(await server.send(sms)).toMatchObject({ duplicate: true })
    server.pass("1 minute")
    expect(await server.send(sms)).toMatchObject({ duplicate: false })
  })

  it("sends for each call if --duplicate-window is 0 seconds", async () => {
    await using server = await guarded(anyRoute, ["--duplicate-window", "0 seconds"])
    for (let time = 1; time <= 3; time++) {
      expect(await server.send(sms)).toMatchObject({ isError: false, duplicate: false })
      expect(await server.sent()).toBe(time)
    }
  })

  it("asks no person about a duplicate", async () => {
    await using server = await guarded(anyRoute, [], { person: () => ({ action: "accept" }) })
    await server.send(sms)
    expect(await server.send(sms)).toMatchObject({ duplicate: true })
    expect(server.questions).toHaveLength(1)
  })
})

const listed = async ({ call }: Connection): Promise<ReadonlyArray<unknown>> =>
  (await call("list_recent_sends", {})).messageIds

const keys = { ann: "a".repeat(40), bob: "b".repeat(40) }

const withKeys = {
  environment: { MESSAGING_TOPUP_MCP_BEARER_KEYS: `ann:${keys.ann},bob:${keys.bob}` },
  key: keys.ann
}

describe.for(httpRoutes)("two principals, $era over $over", (route) => {
  it("send one SMS each, and do not see each other's sends", async () => {
    await using ann = await guarded(route, [], withKeys)
    await using bob = await ann.another(undefined, keys.bob)
    const [fromAnn, fromBob] = await Promise.all([ann.send(sms), bob.send(sms)])
    expect([fromAnn.duplicate, fromBob.duplicate]).toEqual([false, false])
    expect(fromAnn.messageIds).not.toEqual(fromBob.messageIds)
    expect(await ann.sent()).toBe(2)
    expect(await ann.send(sms)).toMatchObject({
      duplicate: true,
      messageIds: fromAnn.messageIds
    })
    expect(await bob.send(sms)).toMatchObject({
      duplicate: true,
      messageIds: fromBob.messageIds
    })
    expect(await listed(ann)).toEqual(fromAnn.messageIds)
    expect(await listed(bob)).toEqual(fromBob.messageIds)
  })

  it("are one principal if both connections use the same key", async () => {
    await using server = await guarded(route, [], withKeys)
    await using again = await server.another(undefined, keys.ann)
    await server.send(sms)
    expect(await again.send(sms)).toMatchObject({ duplicate: true })
    expect(await server.sent()).toBe(1)
  })

  it("do not see each other's unknown outcomes", async () => {
    await using ann = await guarded(route, [], withKeys)
    await using bob = await ann.another(undefined, keys.bob)
    const unknown = { recipient: "+15550000500", message: "Hello" }
    expect((await ann.send(unknown)).error["code"]).toBe("send_unknown")
    expect((await bob.send(unknown)).error["code"]).toBe("send_unknown")
    expect((await ann.send(unknown)).error["code"]).toBe("unknown_not_resent")
  })
})
