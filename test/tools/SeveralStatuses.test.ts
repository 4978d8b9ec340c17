import { describe, expect, it } from "vitest"
import { errorBody } from "../harness/Contract.ts"
import { anyRoute, approve, type Connection, guarded } from "../harness/mcp/GuardedServer.ts"

const message = "Your table is ready."

const recipients = (count: number) =>
  Array.from({ length: count }, (_, at) => `+254700000${100 + at}`)

describe("the statuses of many SMS", () => {
  it("are read in one call, with one request each and at most eight at once", async () => {
    await using server = await guarded(anyRoute, ["--confirm", "off", "--allow-recipients", "*"])
    const sent = await server.call("send_sms_batch", { message, recipients: recipients(40) })
    const { batch_id } = sent.structured
    const before = (await server.upstream.requests()).length
    const result = await server.call("get_sms_status", { batch_id })
    expect((await server.upstream.requests()).length - before).toBe(40)
    expect(result.structured).toMatchObject({
      total: 40,
      statuses: [{ status: "SANDBOX_SENT", count: 40 }]
    })
    const { data, left_out } = result.structured
    // What is equal is counted.
    expect(data).toEqual([])
    expect(left_out).toEqual([
      { count: 40, reason: "not listed: they have the most frequent status" }
    ])
    expect(result.text).toMatch(
      /^A batch of 40: 40 have records \(40 SANDBOX_SENT\)\. What a status means is not documented: /
    )
    expect(result.whole).toContain('{"status":"SANDBOX_SENT","count":40}')
    expect(JSON.stringify(result.structured).length + result.whole.length).toBeLessThan(25_000)
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
    expect(dated.text).toContain("A date without a time zone may be in any; it is ")
    await respond({ status: "SENT" })
    const other = await server.call("get_sms_status", { message_id: "m" })
    expect(other.structured).not.toHaveProperty("now")
    expect(other.text).not.toContain("time zone")
  })
})

const another = { message_id: "another", status: "THREE" }

describe("the status of an SMS", () => {
  it.each([
    [
      "has two records",
      [{ status: "ONE" }, { status: "TWO" }],
      "The service returned 2 records for this SMS. What ",
      "A batch of 2: 2 have records (2 ONE, 2 TWO). "
    ],
    [
      "comes with a record of another SMS",
      [another, { status: "ONE" }],
      "Records with another message_id than asked for: 1. No text",
      "A batch of 2: 2 have records (2 ONE). "
    ],
    [
      "is only that of another SMS",
      [another],
      "Records with another message_id than asked for: 1. No text",
      "A batch of 2: 2 were sent, and no record of them was read. "
    ],
    [
      "has no record",
      [],
      "The service has no record of this SMS.",
      "A batch of 2: 2 were sent, and no record of them was read. "
    ]
  ])("that %s", async (_title, data, ofOne, ofBatch) => {
    await using server = await guarded(anyRoute, ["--confirm", "off", "--allow-recipients", "*"])
    const to = { message, recipients: recipients(2) }
    const { batch_id, data: sent } = (await server.call("send_sms_batch", to)).structured
    const [{ message_id }] = sent as readonly [{ readonly message_id: string }]
    const body = JSON.stringify({ success: true, status: 200, message: "", data })
    await server.upstream.setFault({ fault: "Response", status: 200, body })
    const one = await server.call("get_sms_status", { message_id })
    expect(one.text).toContain(ofOne)
    expect(one.structured).toMatchObject({ total: data.length, data })
    const { structured, text } = await server.call("get_sms_status", { batch_id })
    expect(text).toContain(ofBatch)
    expect(JSON.stringify(structured["left_out"] ?? "").includes("another message_id")).toBe(
      data.some((record) => record === another)
    )
  })
})

/** What an assistant without the result of its call can learn of its only batch. */
const lookedUp = async (server: Pick<Connection, "call">) => {
  const list = await server.call("list_recent_sends", {})
  const [record] = list.structured["data"] as ReadonlyArray<Readonly<Record<string, unknown>>>
  const status = await server.call("get_sms_status", { batch_id: record?.["batch_id"] })
  return { list, record, status }
}

const unknown = ["+15550000900", "+15551000900"] as const
const [paid, refused] = ["+15550000402", "+15550000400"]

describe("did everyone get it", () => {
  it.each([
    [
      "of five, one is unknown and one left nothing",
      [...recipients(3), unknown[0], paid],
      "A batch of 5: 3 have records (3 SANDBOX_SENT); 1 is of unknown outcome; of 1 this batch has no send: another call sent it, or may have; or nothing started, or was refused for the account or by a busy service. ",
      { total: 5, sent: 3, unknown: 1, not_sent: 0, without_send: 1 }
    ],
    [
      "of all the outcome is unknown",
      unknown,
      "A batch of 2: 2 are of unknown outcome. ",
      { total: 2, sent: 0, unknown: 2, not_sent: 0, without_send: 0 }
    ],
    [
      "one was refused, which the journal knows",
      [...recipients(2), refused],
      "A batch of 3: 2 have records (2 SANDBOX_SENT); 1 was not sent. ",
      { total: 3, sent: 2, unknown: 0, not_sent: 1, without_send: 0 }
    ]
  ])("%s: the result, the list and the status agree", async (_title, to, text, counts) => {
    await using server = await guarded(anyRoute)
    const result = await server.call("send_sms_batch", { message, recipients: to })
    const { list, record, status } = await lookedUp(server)
    expect(status.text).toContain(text)
    expect(status.structured).toMatchObject(counts)
    expect(status.isError).toBe(false)
    // Who runs the server decides by them; which they are, the list says.
    const rows = result.structured["failed"] as ReadonlyArray<Readonly<Record<string, unknown>>>
    const ids = rows.flatMap(({ id, recipient }) => (id === undefined ? [] : [{ id, recipient }]))
    expect(ids).toHaveLength(counts.unknown)
    expect(status.structured["unknown_ids"] ?? []).toEqual(
      ids.map(({ id }) => id).toSorted((one, other) => Number(one) - Number(other))
    )
    expect(status.text).toContain("list_recent_sends with the recipients says which.")
    const which = await server.call("list_recent_sends", { recipients: to })
    expect(which.structured["data"]).toEqual(
      expect.arrayContaining(ids.map((each) => expect.objectContaining(each)))
    )
    const { not_sent, without_send, ...known } = counts
    expect(result.structured).toMatchObject({ ...known, not_sent: not_sent + without_send })
    expect(record).toMatchObject({
      batch_id: result.structured["batch_id"],
      batch_total: to.length
    })
    expect(list.text.includes(`had ${to.length} SMS: of 1 this batch has no send`)).toBe(
      without_send > 0
    )
  })

  it("a row that another call sent has no send of the batch", async () => {
    await using server = await guarded(anyRoute)
    const to = recipients(3)
    await server.send({ recipient: to[0] ?? "", message })
    const result = await server.call("send_sms_batch", { message, recipients: to })
    expect(result.structured).toMatchObject({ total: 3, sent: 3 })
    const { batch_id } = result.structured
    const { text } = await server.call("get_sms_status", { batch_id })
    expect(text).toContain("A batch of 3: 2 have records (2 SANDBOX_SENT); of 1 this batch has no")
  })

  it("a row whose outcome another call left unknown is no first send", async () => {
    await using server = await guarded(anyRoute)
    await server.send({ recipient: unknown[0], message })
    const to = [unknown[0], ...recipients(1)]
    const result = await server.call("send_sms_batch", { message, recipients: to })
    expect(result.structured).toMatchObject({ sent: 1, unknown: 1 })
    const { batch_id } = result.structured
    const { text } = await server.call("get_sms_status", { batch_id })
    expect(text).toContain("of 1 this batch has no send: another call sent it, or may have; ")
    expect(text).toContain("list_recent_sends with the recipients says which. Only the person ")
    const which = await server.call("list_recent_sends", { recipients: to })
    expect(which.structured["data"]).toContainEqual(
      expect.objectContaining({ recipient: unknown[0], outcome: "unknown", id: 1 })
    )
  })

  it("an SMS is counted once, however many attempts it had", async () => {
    await using server = await guarded(anyRoute, [], { person: () => approve })
    await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
    const batch = { message, recipients: recipients(2) }
    const first = await server.call("send_sms_batch", batch)
    expect(first.structured).toMatchObject({ sent: 1, unknown: 1 })
    const again = await server.call("send_sms_batch", { ...batch, again: true })
    expect(again.text).toMatch(/ Of row [12], another send went out, or may have\. /)
    const { list, status } = await lookedUp(server)
    expect(list.structured["data"]).toContainEqual(
      expect.objectContaining({ outcome: "sent", recipients: 2, batch_total: 2 })
    )
    expect(status.text).toContain(
      "A batch of 2: 2 have records (2 SANDBOX_SENT). Other sends of the same SMS: 1 may have gone out. "
    )
    expect(status.structured).toMatchObject({ unknown: 0, unknown_ids: [expect.any(Number)] })
    const { structured, text } = await server.call("list_recent_sends", {
      recipients: batch.recipients
    })
    expect(text).toMatch(
      /^This caller has 3 sends, of which all are listed\. Of unknown outcome: 1\. /
    )
    expect(structured["data"]).toHaveLength(3)
    const [id] = status.structured["unknown_ids"] as ReadonlyArray<number>
    expect(structured["data"]).toContainEqual(
      expect.objectContaining({ outcome: "unknown", another_send: true, recipients: 1, id })
    )
  })

  it("names no time from which the same call sends again what another unknown send holds back", async () => {
    await using server = await guarded(anyRoute, [], { person: () => approve })
    await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
    const batch = { message, recipients: [...recipients(1), refused] }
    await server.call("send_sms_batch", batch)
    const again = await server.call("send_sms_batch", { ...batch, again: true })
    const { status } = await lookedUp(server)
    for (const { structured } of [again, status]) {
      expect(structured).toMatchObject({ sent: 1, unknown_ids: [expect.any(Number)] })
      expect(structured).not.toHaveProperty("window_ends_at")
    }
  })

  it("an SMS is one recipient of a record, however often it was tried", async () => {
    await using server = await guarded(anyRoute)
    const batch = { message, recipients: [refused, ...recipients(1)] }
    for (let tries = 0; tries < 3; tries += 1) await server.call("send_sms_batch", batch)
    const { structured, text } = await server.call("list_recent_sends", {})
    expect(text).toMatch(/^This caller has 4 sends, of which all are listed\. /)
    const records = structured["data"] as ReadonlyArray<Readonly<Record<string, unknown>>>
    const found = records.map((each) => [each["state"], each["another_send"], each["recipients"]])
    expect(new Set(found)).toEqual(
      new Set([
        ["rejected", undefined, 1],
        ["rejected", true, 1],
        ["sent", undefined, 1]
      ])
    )
  })

  it("a batch of one SMS is followed as an SMS, and copied by the same call", async () => {
    await using server = await guarded(anyRoute, [], { person: () => approve })
    const batch = { message, recipients: recipients(1) }
    const { structured, text } = await server.call("send_sms_batch", batch)
    expect(structured).not.toHaveProperty("batch_id")
    expect(text).toContain("Follow it with get_sms_status.")
    const copy = await server.call("send_sms_batch", { ...batch, again: true })
    expect(copy.structured).toMatchObject({ sent: 1, sent_by_this_call: true })
    expect(copy.text).not.toMatch(/id of the batch|only unknown rows/)
  })

  it("what went out without a message_id was sent, and so it is said", async () => {
    await using server = await guarded(anyRoute)
    await server.upstream.setFault({ fault: "TruncatedJson", times: 1 })
    await server.call("send_sms_batch", { message, recipients: recipients(2) })
    expect((await lookedUp(server)).status.text).toContain(
      "A batch of 2: 1 has a record (1 SANDBOX_SENT); 1 was sent, and its id is not known. "
    )
  })

  it("is about the last day that the same batch went out", async () => {
    await using server = await guarded(anyRoute)
    const batch = { message, recipients: recipients(2) }
    await server.call("send_sms_batch", batch)
    server.pass("21 hours")
    const body = JSON.stringify(errorBody(400))
    const failing = { fault: "Response", status: 400, body, times: 1 } as const
    await server.upstream.setFault(failing)
    expect((await server.call("send_sms_batch", batch)).structured).toMatchObject({ sent: 1 })
    expect((await lookedUp(server)).status.text).toContain(
      "A batch of 2: 1 has a record (1 SANDBOX_SENT); 1 was not sent. Other sends of the same SMS: the service accepted 2. "
    )
    // The sends of the day before are listed, too.
    const { structured, text } = await server.call("list_recent_sends", {})
    expect(text).toMatch(/^This caller has 4 sends, of which all are listed\. /)
    expect(structured).not.toHaveProperty("left_out")
    const records = structured["data"] as ReadonlyArray<Readonly<Record<string, unknown>>>
    expect(records.filter((each) => each["another_send"] === true)).toMatchObject([
      { state: "sent", recipients: 2, segments: 2 }
    ])
  })

  it("has the time of the last send that went out, or may have: none if all were refused", async () => {
    await using server = await guarded(anyRoute, [], { person: () => approve })
    const batch = { message, recipients: [refused, "+15551000400"] }
    await server.call("send_sms_batch", batch)
    const { status } = await lookedUp(server)
    expect(status.structured).toMatchObject({ total: 2, sent: 0, not_sent: 2 })
    expect(status.structured).not.toHaveProperty("last_sent_at")
    expect(status.text).not.toContain("No text is stored")
    const other = { message, recipients: [...recipients(1), refused], sender_id: "ACME" }
    const { batch_id } = (await server.call("send_sms_batch", other)).structured
    const end = expect.stringMatching(/Z$/)
    const partly = await server.call("get_sms_status", { batch_id })
    expect(partly.structured).toMatchObject({ sent: 1, window_ends_at: end })
    expect(partly.text).toMatch(
      / Until .* sends only what was not sent; later it sends again what /
    )
    const timeOf = async () =>
      (await server.call("get_sms_status", { batch_id })).structured["last_sent_at"]
    const sentAt = await timeOf()
    expect(sentAt).toMatch(/^\d{4}-.*Z$/)
    server.pass("5 minutes")
    // Only the refused one is tried again.
    await server.call("send_sms_batch", other)
    expect(await timeOf()).toBe(sentAt)
  })

  it("tells what went out on both days, as the call of the second day does, and what may have", async () => {
    await using server = await guarded(anyRoute, [], { person: () => approve })
    const batch = { message, recipients: [...recipients(1), "+254700000900"] }
    await server.call("send_sms_batch", batch)
    server.pass("21 hours")
    await server.call("send_sms_batch", batch)
    await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
    await server.send({ message, recipient: recipients(1)[0] ?? "", again: true })
    const result = await server.call("send_sms_batch", batch)
    expect(result.text).toContain("Of rows 1-2, another send went out, or may have.")
    const { batch_id } = result.structured
    const status = await server.call("get_sms_status", { batch_id })
    expect(status.text).toContain(
      "A batch of 2: 2 have records (2 SANDBOX_SENT). Other sends of the same SMS: the service accepted 2, 1 may have gone out. list_recent_sends with the recipients says which. "
    )
  })

  it.each([
    [
      "a larger batch",
      (server: Connection) => server.call("send_sms_batch", { message, recipients: recipients(3) })
    ],
    [
      "single sends",
      async (server: Connection) => {
        for (const recipient of recipients(2)) await server.call("send_sms", { message, recipient })
      }
    ]
  ])("is by the ids of its SMS if %s sent all of them", async (_name, before) => {
    await using server = await guarded(anyRoute)
    await before(server)
    const batch = { message, recipients: recipients(2) }
    const { structured, text } = await server.call("send_sms_batch", batch)
    expect(structured).toMatchObject({ sent: 2, sent_by_this_call: false })
    expect(text).toContain("Follow each with get_sms_status, by its message_id.")
    const { batch_id } = structured
    const status = await server.call("get_sms_status", { batch_id })
    expect(status.structured).toMatchObject({ total: 0 })
    expect(status.text).toContain("another call sent its SMS, or may have; ")
  })

  it("is not told of an id with a wrong letter, or of another caller", async () => {
    await using server = await guarded(anyRoute)
    const batch = { message, recipients: recipients(3) }
    const id = String((await server.call("send_sms_batch", batch)).structured["batch_id"])
    const last = id.endsWith("A") ? "B" : "A"
    for (const batch_id of [`${id.slice(0, -1)}${last}`, `9${id.slice(1)}`]) {
      const { isError, structured, text } = await server.call("get_sms_status", { batch_id })
      expect(isError).toBe(false)
      expect(structured).toEqual({
        message:
          "No send of this caller has this id: another call sent its SMS, or may have; or nothing started, or was refused for the account or by a busy service; or the id is wrong, or of another caller.",
        next: "list_recent_sends with the recipients says what this caller sent to them.",
        total: 0,
        data: []
      })
      expect(text).not.toMatch(/batch of|\b[39]\b/)
    }
  })
})

describe("the statuses of a batch", () => {
  it("come with the ids of which nothing was read", async () => {
    await using server = await guarded(anyRoute)
    const batch = { message, recipients: recipients(3) }
    const { batch_id } = (await server.call("send_sms_batch", batch)).structured
    await server.upstream.setFault({ fault: "Response", status: 404, body: "{}", times: 1 })
    const result = await server.call("get_sms_status", { batch_id })
    expect(result.structured).toMatchObject({
      causes: [{ count: 1, what: expect.stringContaining("HTTP 404") }],
      not_read: [expect.any(String)]
    })
    expect(result.text).toContain(
      "A batch of 3: 2 have records (2 SANDBOX_SENT); 1 was sent, and no record of it was read. "
    )
  })

  it.each([
    ["InternalServerError", 500, "Wait a minute, then call again."],
    ["NotFound", 404, "Wait a minute, then call again. If the settings of this server are new, "],
    ["AuthenticationFailed", 401, "Calling again does not help: "],
    ["an undocumented one", 418, "Calling again does not help: "]
  ])("are those of the journal where every read fails: %s", async (_name, status, next) => {
    await using server = await guarded(anyRoute)
    const batch = { message, recipients: [...recipients(3), unknown[0]] }
    const { batch_id, data } = (await server.call("send_sms_batch", batch)).structured
    const sent = data as ReadonlyArray<{ readonly message_id: string }>
    await server.upstream.setFault({
      fault: "Response",
      status,
      body: JSON.stringify(errorBody(status))
    })
    const result = await server.call("get_sms_status", { batch_id })
    expect(result.isError).toBe(false)
    const { not_read, ...structured } = result.structured
    expect(structured).toMatchObject({
      message:
        "A batch of 4: 3 were sent, and no record of them was read; 1 is of unknown outcome.",
      total: 4,
      sent: 3,
      unknown: 1,
      records: 0,
      causes: [
        {
          count: 3,
          what: expect.stringContaining(`HTTP ${status}`),
          next: expect.stringContaining(next)
        }
      ],
      data: []
    })
    expect(not_read).toEqual(expect.arrayContaining(sent.map(({ message_id }) => message_id)))
    expect(result.whole).not.toContain("Check every argument")
    // An id that the caller gave may be wrong.
    const one = await server.call("get_sms_status", { message_id: sent[0]?.message_id })
    expect(one).toMatchObject({ isError: true, error: { code: "read_failed" } })
    expect(one.text.includes("Check every argument")).toBe(status === 404)
  })

  it.each([
    [{}, "give message_id or batch_id"],
    [{ message_id: "a", batch_id: "b" }, "give message_id or batch_id"],
    [{ batch_id: "another" }, "batch_id is not the id of a batch"]
  ])("are refused with arguments %#", async (args, problem) => {
    await using server = await guarded(anyRoute)
    const { error, text } = await server.call("get_sms_status", args)
    expect(error).toMatchObject({ code: "invalid_arguments" })
    expect(text).toContain(problem)
    expect(await server.upstream.requests()).toEqual([])
  })
})
