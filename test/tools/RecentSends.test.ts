import { describe, expect, it } from "vitest"
import { acceptance } from "../harness/Contract.ts"
import {
  anyRoute,
  connect,
  type Connection,
  guarded,
  startGuarded
} from "../harness/mcp/GuardedServer.ts"
import { openRespondingUpstream } from "../harness/mcp/RespondingUpstream.ts"
import { reply } from "../harness/ResponseServer.ts"

const recipient = "+254700000917"

const message = "Dear Ann, your table is ready at eight."

const list = async (server: Pick<Connection, "call">, args: object = {}) => {
  const { structured, text } = await server.call("list_recent_sends", args)
  const { data } = structured
  if (!Array.isArray(data)) throw new Error(text)
  return { ...structured, text, data: data as ReadonlyArray<Readonly<Record<string, unknown>>> }
}

describe("list_recent_sends", () => {
  it("has one record for each send, newest first, and their total", async () => {
    await using server = await guarded(anyRoute, ["--confirm=off", "--allow-recipients=*"])
    const ids: Array<unknown> = []
    for (const end of ["001", "002", "003", "004", "005"]) {
      const { messageIds } = await server.send({ recipient: `+254700000${end}`, message })
      ids.unshift(messageIds[0])
      server.pass("1 minute")
    }
    const all = await list(server)
    expect(all.data).toEqual(
      ids.map((message_id) => ({
        time: expect.any(String),
        state: "sent",
        outcome: "sent",
        segments: 1,
        message_id
      }))
    )
    const few = await list(server, { limit: 2 })
    expect(few).toMatchObject({
      total: 5,
      now: expect.stringMatching(/Z$/),
      left_out: [{ count: 3, reason: "beyond the limit" }]
    })
    expect(few.data).toEqual(all.data.slice(0, 2))
    expect(few.text).toMatch(/^This caller has 5 sends, of which 2 are listed\./)
  })

  it("lists what is unknown first, and says how many of all are, also beyond the limit and the size of a result", async () => {
    await using server = await guarded(anyRoute, ["--confirm=off", "--allow-recipients=*"])
    const lost = Array.from({ length: 3 }, (_, at) => `+1555${at + 1}000900`)
    const ids = new Array<unknown>()
    for (const to of lost) ids.unshift((await server.send({ recipient: to, message })).error["id"])
    server.pass("1 minute")
    const recipients = Array.from({ length: 65 }, (_, at) => `+2547000000${at + 10}`)
    for (const to of recipients) await server.send({ recipient: to, message })
    const { data, text } = await list(server)
    expect(data).toHaveLength(20)
    expect(data.slice(0, 4).map(({ id }) => id)).toEqual([...ids, undefined])
    expect(text).toMatch(
      /^This caller has 68 sends, of which 20 are listed\. Of unknown outcome: 3\. /
    )
    expect(text).toContain("A higher limit, or recipients, shows others. The person who runs")
    const few = await list(server, { limit: 1 })
    expect(few.data).toMatchObject([{ id: ids[0] }])
    expect(few.text).toMatch(
      /^This caller has 68 sends, of which 1 is listed\. Of unknown outcome: 3, of which 1 is listed\. /
    )
    const most = await list(server, { limit: 100 })
    expect(most.data.length).toBeLessThan(68)
    expect(most.data.slice(0, 3)).toMatchObject(ids.map((id) => ({ id })))
    expect(most.text).toContain(`of which ${most.data.length} are listed. Of unknown outcome: 3. `)
    expect(most.text).not.toContain("is listed")
  })

  it("says of what is in flight when to look again, as the status of its batch does", async () => {
    const args = ["--confirm=off", "--allow-recipients=*"]
    await using upstream = await openRespondingUpstream()
    await using server = await startGuarded(anyRoute.over, args, upstream.environment)
    await using connection = await connect(anyRoute.era, server.open(), {})
    const held: Array<() => void> = []
    const accept = reply(202, acceptance)
    const both = Promise.withResolvers<void>()
    upstream.respondWith((request, response) => {
      if (held.push(() => accept(request, response)) === 2) both.resolve()
    })
    const recipients = ["+254700000001", "+254700000002"]
    const sending = connection.call("send_sms_batch", { message, recipients })
    await both.promise
    const listed = await list(connection)
    expect(listed.data).toMatchObject([{ state: "in flight", outcome: "unknown" }])
    const { batch_id } = listed.data[0] ?? {}
    const claimedAt = Date.parse(String(listed.data[0]?.["time"]))
    const status = await connection.call("get_sms_status", { batch_id })
    expect(status.structured).toMatchObject({ unknown: 2 })
    for (const { text } of [listed, status]) {
      const until =
        /2 sends in flight: one whose process has ended becomes unknown by (\S+), so look again then\./
      // The time-out, ten seconds until the request starts, and five until its outcome is written.
      const seconds = (Date.parse(until.exec(text)?.[1] ?? "") - claimedAt) / 1000
      expect(seconds).toBe(45)
      // No id is there yet.
      expect(text).not.toContain("resolve")
    }
    upstream.respondWith(accept)
    for (const end of ["11", "12"]) {
      await connection.send({ recipient: `+2547000000${end}`, message })
    }
    const few = await list(connection, { limit: 1 })
    expect(few.data).toMatchObject([{ state: "in flight", outcome: "unknown" }])
    expect(few.text).toMatch(/ Of unknown outcome: 2\. .* 2 sends in flight: /)
    for (const respond of held) respond()
    await sending
    expect((await list(connection)).text).not.toContain("in flight")
  })

  it("has one record for the rows of a batch that stand alike, and for each of unknown outcome its id", async () => {
    await using server = await guarded(anyRoute)
    const lost = ["+15550000900", "+15551000900"]
    const rows = { message, recipients: ["+254700000001", "+254700000002", ...lost] }
    const { batch_id, failed } = (await server.call("send_sms_batch", rows)).structured
    const again = (await server.call("send_sms_batch", rows)).structured
    expect(again["batch_id"]).toBe(batch_id)
    // The limit cuts no batch.
    const few = (await list(server, { limit: 1 })).data.map((each) => Number(each["recipients"]))
    expect(few.reduce((sum, count) => sum + count, 0)).toBe(4)
    const { data, text } = await list(server)
    expect(text).toMatch(
      /^This caller has 4 sends, of which all are listed\. Of unknown outcome: 2\./
    )
    const of = (state: string) => data.filter((record) => record["state"] === state)
    expect(of("sent")).toMatchObject([{ batch_id, recipients: 2, segments: 2 }])
    expect(of("unknown")).toMatchObject([
      { batch_id, recipients: 1, segments: 1, id: expect.any(Number) },
      { batch_id, recipients: 1, segments: 1, id: expect.any(Number) }
    ])
    const ids = of("unknown").map(({ id }) => id)
    for (const unknown of [failed, again["failed"]]) {
      expect(unknown).toMatchObject(lost.map(() => ({ id: expect.toBeOneOf(ids) })))
    }
    const { error } = await server.send({ recipient: lost[0] ?? "", message })
    expect(error).toMatchObject({ code: "unknown_not_resent", id: expect.toBeOneOf(ids) })
  })

  it("says of each record of a batch how many sends it has, which add up, and the segments only of what may be out", async () => {
    await using server = await guarded(anyRoute)
    const rows = { message, recipients: ["+254700000001", "+15550000400"] }
    for (let call = 1; call <= 3; call += 1) await server.call("send_sms_batch", rows)
    // The limit counts sends, and cuts no batch.
    for (const args of [{}, { limit: 1 }]) {
      const { data, ...others } = await list(server, args)
      expect(others).toMatchObject({ total: 4 })
      expect(others).not.toHaveProperty("left_out")
      const rejected = { state: "rejected", outcome: "not-sent", recipients: 1 }
      const of = { batch_id: data[0]?.["batch_id"], batch_total: 2, time: expect.any(String) }
      expect(data).toHaveLength(3)
      expect(data).toEqual(
        expect.arrayContaining([
          { ...of, state: "sent", outcome: "sent", segments: 1, sends: 1, recipients: 1 },
          { ...of, ...rejected, sends: 1 },
          { ...of, ...rejected, sends: 2, another_send: true }
        ])
      )
    }
  })

  it("counts sends in what is left out, also of batches", async () => {
    await using server = await guarded(anyRoute, ["--confirm=off", "--allow-recipients=*"])
    for (let at = 10; at < 58; at += 1) {
      const recipients = [`+2547000001${at}`, `+2547000002${at}`]
      await server.call("send_sms_batch", { message, recipients })
    }
    const { data, text, ...others } = await list(server, { limit: 100 })
    expect(data.length).toBeLessThan(48)
    expect(data.every(({ sends }) => sends === 2)).toBe(true)
    const listed = 2 * data.length
    expect(text).toContain(`This caller has 96 sends, of which ${listed} are listed.`)
    expect(others).toMatchObject({
      left_out: [{ count: 96 - listed, reason: "more than one result can hold" }],
      total: 96
    })
  })

  it("finds the sends to a recipient, however it is written", async () => {
    await using server = await guarded(anyRoute)
    const { messageIds } = await server.send({ recipient, message })
    await server.send({ recipient: "+254700000001", message })
    for (const written of [recipient, "00254 700-000 917", "tel:+254700000917"]) {
      expect((await list(server, { recipients: [written] })).data).toMatchObject([
        { message_id: messageIds[0] }
      ])
    }
    expect(await list(server, { recipients: ["+254700000002"] })).toMatchObject({
      total: 0,
      data: [],
      text: expect.stringMatching(
        /^This server knows no send of this caller to "\+254700000002"\. This server remembers what/
      )
    })
  })

  it("finds those to several recipients, and says which of them have none", async () => {
    await using server = await guarded(anyRoute)
    const { messageIds } = await server.send({ recipient, message })
    const batch = { message, recipients: ["+254700000001", "+254700000003"] }
    const { batch_id } = (await server.call("send_sms_batch", batch)).structured
    const recipients = [recipient, "00254700000917", "+254700000001", "+254700000002"]
    const found = await list(server, { recipients })
    const { data, text } = found
    expect(found).toMatchObject({ total: 2 })
    expect(data).toHaveLength(2)
    expect(data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ recipient: "00254700000917", message_id: messageIds[0] }),
        expect.objectContaining({ recipient: "+254700000001", batch_id, recipients: 1 })
      ])
    )
    expect(text).toMatch(
      /^This caller has 2 sends, of which all are listed\. This server knows no send of this caller to "\+254700000002"\. This server remembers what/
    )
    // The person may mean another text than the one that went out.
    const noText = "No text is stored: do not say which text was sent"
    for (const named of [{ batch_id }, { message_id: messageIds[0] }]) {
      expect((await server.call("get_sms_status", named)).text).toContain(noText)
    }
    expect(text).toContain(noText)
    const none = await list(server, { recipients: ["+254700000002"] })
    expect(none.text).not.toContain(noText)
    const tooMany = Array.from({ length: 21 }, (_, at) => `+2547000000${at}`)
    const refused = await server.call("list_recent_sends", { recipients: tooMany })
    expect(refused.error).toMatchObject({ code: "invalid_arguments" })
    expect(refused.text).toContain("Expected at most 20: give the others in another call")
  })

  it("says how a number without country code is compared", async () => {
    await using server = await guarded(anyRoute)
    await server.send({ recipient, message })
    const found = await list(server, { recipients: ["0700000917"] })
    expect(found).toMatchObject({ total: 0 })
    expect(found.text).toMatch(
      /^This server knows no send of this caller to "0700000917"\. Numbers are compared by their digits: without country code, it is another one\./
    )
  })

  it("says that there is none", async () => {
    await using server = await guarded(anyRoute)
    expect((await list(server)).text).toMatch(
      /^This server knows no send of this caller\. This server remembers what the service accepted \(perhaps for a later time\) or may have, /
    )
  })
})
