import { describe, expect, it } from "vitest"
import { anyRoute, eachOnce, guarded } from "../harness/mcp/GuardedServer.ts"

const message = "Your table is ready."

const recipients = (count: number) =>
  Array.from({ length: count }, (_, at) => `+254700000${100 + at}`)

describe.for(eachOnce)("the statuses of many SMS, $era over $over", (route) => {
  it("are read in one call, with one request each and at most eight at once", async () => {
    await using server = await guarded(route, ["--confirm", "off", "--allow-recipients", "*"])
    const sent = await server.call("send_sms_batch", { message, recipients: recipients(100) })
    const { batch_id } = sent.structured
    const before = (await server.upstream.requests()).length
    const result = await server.call("get_sms_status", { batch_id })
    expect((await server.upstream.requests()).length - before).toBe(100)
    expect(result.structured).toMatchObject({
      total: 100,
      statuses: [{ status: "SANDBOX_SENT", count: 100 }]
    })
    const { data, left_out } = result.structured
    // What is equal is counted.
    expect(data).toEqual([])
    expect(left_out).toEqual([
      { count: 100, reason: "read and counted in statuses, with the most frequent one" }
    ])
    expect(result.text).toMatch(
      /^The service has 100 records of these 100 SMS\. What a status means is not documented: /
    )
    expect(result.whole).toContain('{"status":"SANDBOX_SENT","count":100}')
    expect(JSON.stringify(result.structured).length + result.whole.length).toBeLessThan(25_000)
  })

  it("come with the ids of which nothing was read", async () => {
    await using server = await guarded(route, ["--confirm", "off", "--allow-recipients", "*"])
    const { messageIds } = await server.send({ recipient: "+254700000001", message })
    const message_ids = [...messageIds, "no-such-id", "x0403", ...messageIds]
    const result = await server.call("get_sms_status", { message_ids })
    expect(result.isError).toBe(false)
    expect(result.structured).toMatchObject({
      total: 1,
      data: [{ message_id: messageIds[0], status: "SANDBOX_SENT" }],
      not_read: [
        { message_id: "no-such-id", why: expect.stringContaining("HTTP 404") },
        { message_id: "x0403", why: expect.stringContaining("HTTP 403") }
      ]
    })
    expect(result.text).toMatch(
      /^The service has 1 record of these 3 SMS\. Of 2 of them it has none/
    )
  })
})

describe("the status of one SMS", () => {
  it("comes with the time of the server, because its date may name no zone", async () => {
    await using server = await guarded(anyRoute)
    const respond = (record: object) =>
      server.upstream.setFault({
        fault: "Response",
        status: 200,
        body: JSON.stringify({ success: true, status: 200, message: "", data: [record] })
      })
    await respond({ status: "SENT", date_created: "2026-01-01 23:30" })
    const dated = await server.call("get_sms_status", { message_id: "m" })
    expect(dated.structured["now"]).toMatch(/^\d{4}-.*Z$/)
    expect(dated.text).toContain("A date_created that names no time zone may be in any")
    await respond({ status: "SENT" })
    const other = await server.call("get_sms_status", { message_id: "m" })
    expect(other.structured).not.toHaveProperty("now")
    expect(other.text).not.toContain("date_created")
  })
})

describe("the statuses of many SMS", () => {
  it("of a batch that this caller did not send, or of which no row has an id, are none", async () => {
    await using server = await guarded(anyRoute)
    const { structured, text } = await server.call("get_sms_status", { batch_id: "another" })
    expect(structured).toMatchObject({ total: 0, data: [] })
    expect(text).toMatch(/^No message_id of such a batch/)
    await server.upstream.setFault({ fault: "TruncatedJson", times: 1 })
    const rows = { message, recipients: recipients(2) }
    const { batch_id } = (await server.call("send_sms_batch", rows)).structured
    expect((await server.call("get_sms_status", { batch_id })).structured).toMatchObject({
      total: 1,
      left_out: [{ count: 1, reason: "without a message_id" }]
    })
  })

  it("are one error where every read fails", async () => {
    await using server = await guarded(anyRoute)
    await server.upstream.setFault({ fault: "Response", status: 401, body: "{}" })
    const result = await server.call("get_sms_status", { message_ids: ["a", "b", "c"] })
    expect(result).toMatchObject({
      isError: true,
      error: { code: "read_failed", http_status: 401 }
    })
  })

  it.each([
    {},
    { message_ids: [] },
    { message_id: "a", message_ids: ["b"] },
    { message_id: "a", batch_id: "b" },
    { message_ids: Array.from({ length: 101 }, (_, at) => `m-${at}`) }
  ])("are refused with arguments %#", async (args) => {
    await using server = await guarded(anyRoute)
    const { error, text } = await server.call("get_sms_status", args)
    expect(error).toMatchObject({ code: "invalid_arguments" })
    expect(text).toContain("give message_id, or message_ids with at most 100")
    expect(await server.upstream.requests()).toEqual([])
  })
})
