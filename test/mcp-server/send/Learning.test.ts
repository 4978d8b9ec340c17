import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { reply } from "../../support/ResponseServer.ts"
import { silentHost } from "../../support/SilentHost.ts"
import { anyRoute, eachOnce, guarded } from "../support/GuardedServer.ts"
import { callOf, eras, openStdio } from "../support/RawStdio.ts"
import { openSandbox, slowRecipient } from "../support/RealSandbox.ts"
import { openRespondingUpstream } from "../support/RespondingUpstream.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

const openSilentHost = async () => {
  const scope = Effect.runSync(Scope.make())
  const { port } = await Effect.runPromise(Scope.provide(silentHost, scope))
  return {
    environment: {
      MESSAGING_TOPUP_BASE_URL: `http://127.0.0.1:${port}`,
      MESSAGING_TOPUP_TOKEN: "token"
    },
    [Symbol.asyncDispose]: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

describe.for(eras)("in the %s era, a send", (era) => {
  it("is logged before its request starts, with the same digest as its outcome", async () => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.env })
    await stdio.send(callOf(era, 1, "send_sms", { ...sms, recipient: slowRecipient }))
    await sandbox.until(({ requests }) => requests.length >= 1)
    const [line] = await stdio.server.until("stderr", /^.*"event":"sending".*$/m)
    expect(stdio.server.written.stderr).not.toContain('"outcome"')
    await sandbox.hurry()
    const [end] = await stdio.server.until("stderr", /^.*"event":"send".*$/m)
    const { digest } = JSON.parse(line)
    expect(digest).toMatch(/^[\w-]{22}$/)
    expect(JSON.parse(end)).toMatchObject({ digest, outcome: "sent" })
  })

  it("that is cancelled before its request starts never starts, and counts as not sent", async () => {
    await using host = await openSilentHost()
    await using stdio = await openStdio(era, [], { env: host.environment })
    await stdio.send(callOf(era, 1, "send_sms", sms))
    await stdio.server.until("stderr", /"event":"sending"/)
    await stdio.send({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 1 }
    })
    await stdio.server.until("stderr", /"event":"send".*"outcome":"not-sent"/)
    expect(stdio.server.written.stderr).not.toContain('"outcome":"unknown"')
  })
})

describe("a response of 202", () => {
  const entry = (message_id: string) => ({
    recipient: "+254700000001",
    message_id,
    status: "Queued"
  })
  const accepted = (data: ReadonlyArray<object>, success = true) =>
    reply(202, { success, status: 202, message: "ok", data })

  it("is sent where a message_id cannot be read, which it says, and is not resent", async () => {
    await using upstream = await openRespondingUpstream()
    await using server = await guarded(anyRoute, [], {
      environment: upstream.environment
    })
    const none = { ...sms, message: "no id" }
    for (const data of [[entry("\u200b")], []]) {
      upstream.respondWith(accepted(data))
      const first = await server.send({ ...none, sender_id: `${data.length}` })
      const again = await server.send({ ...none, sender_id: `${data.length}` })
      expect(first.structured).toMatchObject({ outcome: "sent", sent_by_this_call: true })
      expect(again.structured).toMatchObject({ outcome: "sent", sent_by_this_call: false })
      for (const { text } of [first, again]) {
        expect(text).toContain("No message_id is known, so its status cannot be followed.")
      }
      expect(upstream.received).toHaveLength(1)
    }
    upstream.respondWith(accepted([entry("m-1"), entry("")]))
    const mixed = await server.send(sms)
    expect(mixed.text).toContain("Follow it with get_sms_status.")
    expect(mixed.structured).toMatchObject({ outcome: "sent" })
  })

  it("that says success: false is unknown, and is not resent", async () => {
    await using upstream = await openRespondingUpstream()
    await using server = await guarded(anyRoute, [], { environment: upstream.environment })
    upstream.respondWith(accepted([entry("m-1")], false))
    expect((await server.send(sms)).error).toMatchObject({
      code: "send_unknown",
      error: "InvalidResponse",
      http_status: 202,
      outcome: "unknown"
    })
    expect((await server.send(sms)).error).toMatchObject({ code: "unknown_not_resent" })
    expect(upstream.received).toHaveLength(1)
  })
})

describe.for(eachOnce)("$era over $over", (route) => {
  it("a scheduled send is accepted, and the result does not promise the schedule", async () => {
    await using server = await guarded(route)
    const sent = await server.send({ ...sms, scheduled_time: "2030-01-01T08:00:00Z" })
    expect(sent.text).toMatch(
      /^The service accepted the SMS with scheduled_time "2030-01-01T08:00:00Z"; it does not say whether it keeps it, so the SMS may go out at once\./
    )
    expect(sent.text).not.toContain("was sent")
  })
})

describe("segments per day", () => {
  it("are counted beyond the hour, and are allowed again a day later", async () => {
    await using server = await guarded(anyRoute, ["--max-segments-per-day", "3"])
    const two = "a".repeat(300)
    expect((await server.send({ ...sms, message: two })).isError).toBe(false)
    server.pass("2 hours")
    const refused = await server.send({ ...sms, message: `${two}b` })
    expect(refused.error).toMatchObject({
      code: "limit_reached",
      limit: 3,
      outcome: "not-sent"
    })
    expect(refused.text).toContain(
      "--max-segments-per-day (MESSAGING_TOPUP_MCP_MAX_SEGMENTS_PER_DAY)"
    )
    expect((await server.send({ ...sms, message: "one" })).isError).toBe(false)
    expect((await server.send({ ...sms, message: "two" })).error).toMatchObject({
      code: "limit_reached"
    })
    server.pass("22 hours")
    expect((await server.send({ ...sms, message: `${two}b` })).isError).toBe(false)
    expect(await server.sent()).toBe(3)
  })
})

describe("a send that alone exceeds the limit", () => {
  it("is refused without retry_after_seconds", async () => {
    await using server = await guarded(anyRoute, ["--max-segments-per-day", "1"])
    const long = await server.send({ ...sms, message: "a".repeat(161) })
    expect(long.error).toEqual({
      code: "limit_reached",
      outcome: "not-sent",
      sent_by_this_call: false,
      limit: 1,
      limit_of: "all_callers"
    })
    expect(long.text).toContain("and this call alone is more.")
  })
})

describe("the same SMS", () => {
  it.each([
    " Hello  w\u00f6rld ",
    "Hello\u00a0w\u00f6rld",
    "Hello\n\tw\u00f6rld",
    "Hel\u200blo w\u00f6rld\ufeff",
    "Hello wo\u0308rld",
    "\u202aHello w\u00f6rld\u202c",
    "Hello wo\u200b\u0308rld",
    "Hello\u0007 w\u00f6rld\u0000",
    "Hello\u2800w\u00f6rld"
  ])("is %j, as far as a person can see", async (message) => {
    await using server = await guarded(anyRoute)
    await server.send({ ...sms, message: "Hello w\u00f6rld" })
    expect(await server.send({ ...sms, message })).toMatchObject({ duplicate: true })
    expect(await server.send({ ...sms, message: "hello w\u00f6rld" })).toMatchObject({
      duplicate: false
    })
  })
})
