import { describe, expect, it } from "vitest"
import {
  approve,
  decline,
  eachOnce,
  guarded,
  type Sms,
  stdioRoutes
} from "../support/GuardedServer.ts"

const sms: Sms = { recipient: "+254700000001", message: "Happy birthday" }

const again: Sms = { ...sms, send_again: true }

describe.for(eachOnce)("a second copy, $era over $over", (route) => {
  it("goes out after an approval, and then counts like any other send", async () => {
    await using server = await guarded(route, [], { person: () => approve })
    const first = await server.send(sms)
    const copy = await server.send(again)
    expect(server.questions[1]).toMatch(/^Send a SECOND COPY of this SMS\? .* it arrives twice\./)
    expect(copy).toMatchObject({ isError: false, duplicate: false })
    expect(copy.messageIds).not.toEqual(first.messageIds)
    expect(await server.send(sms)).toMatchObject({ duplicate: true, messageIds: copy.messageIds })
    expect(await server.sent()).toBe(2)
  })

  it("needs an approval with every --confirm, also if no first copy is remembered", async () => {
    const person = () => decline
    await using server = await guarded(route, ["--confirm", "off"], { person })
    expect((await server.send(again)).error).toMatchObject({ code: "confirmation_declined" })
    expect((await server.send(sms)).isError).toBe(false)
    expect((await server.send(again)).error).toMatchObject({ code: "confirmation_declined" })
    expect(server.questions).toHaveLength(2)
    expect(await server.sent()).toBe(1)
  })
})

describe.for(stdioRoutes)("a second copy, $era over $over", (route) => {
  it("is refused if no person can be asked, with the ways to send it", async () => {
    await using server = await guarded(route, ["--confirm", "off"])
    await server.send(sms)
    const duplicate = await server.send(sms)
    expect(duplicate.text).toMatch(/needs the approval of a person, and this client cannot ask one/)
    expect(duplicate.text).toContain("after window_ends_at the same call without send_again")
    const refused = await server.send(again)
    expect(refused.error).toMatchObject({ code: "confirmation_unavailable", outcome: "not-sent" })
    expect(refused.text).toContain("--duplicate-window (MESSAGING_TOPUP_MCP_DUPLICATE_WINDOW)")
    expect(await server.sent()).toBe(1)
    server.pass("10 minutes")
    expect(await server.send(sms)).toMatchObject({ isError: false, duplicate: false })
    expect(await server.sent()).toBe(2)
  })

  it("that does not go out leaves the first one sent", async () => {
    await using server = await guarded(route, [], { person: () => approve })
    const unpaid = { ...sms, recipient: "+15550000402" }
    const first = await server.send(sms)
    await server.upstream.setFault({ fault: "Response", status: 429, times: 1 })
    const failed = await server.send(again)
    expect(failed.error).toMatchObject({ code: "send_failed", outcome: "not-sent" })
    expect(failed.text).toMatch(
      /^The second copy was not sent; the first one was, at first_sent_at\./
    )
    expect(failed.structured["data"]).toEqual(first.structured["data"])
    await server.upstream.clearFault()
    expect(await server.send(sms)).toMatchObject({ duplicate: true, messageIds: first.messageIds })
    expect((await server.send({ ...unpaid, send_again: true })).error).toMatchObject({
      code: "send_failed"
    })
    expect(await server.sent()).toBe(1)
  })

  it("of unknown outcome leaves the first one sent, and repeated calls say so", async () => {
    await using server = await guarded(route, [], { person: () => approve })
    const first = await server.send(sms)
    await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
    const lost = await server.send(again)
    expect(lost.error).toMatchObject({ code: "send_unknown", outcome: "unknown" })
    expect(lost.text).toMatch(/^It is unknown whether the second copy was sent; the first one was,/)
    const repeated = await server.send(sms)
    expect(repeated.error).toMatchObject({ code: "unknown_not_resent" })
    expect(repeated.text).toMatch(/a first copy of it was sent at first_sent_at, and it is unknown/)
    expect(repeated.structured).toMatchObject({
      data: first.structured["data"],
      first_sent_at: lost.structured["first_sent_at"]
    })
  })

  it("is asked for with a text of its own if no first copy is remembered", async () => {
    await using server = await guarded(route, [], { person: () => approve })
    expect((await server.send(again)).isError).toBe(false)
    expect(server.questions[0]).toMatch(
      /^Send this SMS\? .* nothing is known here of a first one\./
    )
    await using strict = await guarded(route, ["--confirm", "require"])
    expect((await strict.send(again)).text).not.toContain("send_again")
    await using off = await guarded(route, ["--confirm", "off"])
    expect((await off.send(again)).text).toContain("without send_again it is sent like any other")
  })

  it("of an SMS whose first send is unknown needs resend_unknown", async () => {
    await using server = await guarded(route, [], { person: () => approve })
    const lost = { ...sms, recipient: "+15550000500" }
    expect((await server.send(lost)).error).toMatchObject({ outcome: "unknown" })
    expect((await server.send({ ...lost, send_again: true })).error).toMatchObject({
      code: "unknown_not_resent"
    })
    expect(server.questions).toHaveLength(1)
  })
})

describe.for(stdioRoutes)("a duplicate, $era over $over", (route) => {
  it("returns the status that its send returned", async () => {
    await using server = await guarded(route)
    const first = await server.send(sms)
    const [message_id] = first.messageIds
    await server.client.callTool({ name: "get_sms_status", arguments: { message_id } })
    const { structured } = await server.send(sms)
    expect(structured).toMatchObject({ data: [{ message_id, status: "SANDBOX_QUEUED" }] })
  })

  it("says first that this call sent nothing, then when the first one went out and what to do", async () => {
    await using server = await guarded(route, [], { person: () => approve })
    const first = await server.send(sms)
    server.pass("3 minutes")
    const duplicate = await server.send(sms)
    expect(duplicate.text).toMatch(
      /^This call sent nothing: an earlier call sent the same SMS 3 min ago, and until window_ends_at/
    )
    expect(duplicate.text).toContain("Follow it with get_sms_status.")
    expect(duplicate.text).toContain("call send_sms again with send_again true")
    const { data, first_sent_at, outcome, sent_by_this_call, window_ends_at } = duplicate.structured
    expect({ data, outcome, sent_by_this_call }).toEqual({
      data: first.structured["data"],
      outcome: "sent",
      sent_by_this_call: false
    })
    expect(Date.parse(String(window_ends_at)) - Date.parse(String(first_sent_at))).toBe(600_000)
  })
})
