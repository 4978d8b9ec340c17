import { describe, expect, it } from "vitest"
import {
  anyRoute,
  approve,
  type CallResult,
  decline,
  eachOnce,
  guarded,
  type Guarded,
  routes
} from "../harness/mcp/GuardedServer.ts"

const numbers = (count: number, from = 1): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => `+2547${String(from + at).padStart(8, "0")}`)

const message = "Your table is ready."

const person = () => approve

const batch = (server: Pick<Guarded, "call">, args: object): Promise<CallResult> =>
  server.call("send_sms_batch", args)

const recipientsOf = async ({ upstream }: Guarded): Promise<ReadonlyArray<string>> =>
  (await upstream.messages()).map(({ recipient }) => recipient)

describe.for(routes)("a batch, $era over $over", (route) => {
  it("is approved once and sent once, each row with an outcome of its own", async () => {
    await using server = await guarded(route, [], { person })
    const recipients = numbers(40)
    const result = await batch(server, { message, recipients, sender_id: "ACME" })
    expect(result.isError).toBe(false)
    expect(server.questions).toEqual([
      `Send 40 SMS? 40 with country code +254, from "ACME", 40 segments: "Your table is ready." To ${recipients.join(", ")}`
    ])
    expect(result.structured).toMatchObject({
      total: 40,
      sent: 40,
      not_sent: 0,
      unknown: 0,
      segments: 40,
      batch_id: expect.any(String),
      approved_by: "person"
    })
    expect(result.text).toMatch(
      /^40 of 40 SMS were sent\. Do not send them again, unless the person wants that\./
    )
    expect((await recipientsOf(server)).toSorted()).toEqual(recipients)
    const idOf = new Map(
      (await server.upstream.messages()).map((each) => [each.recipient, each.message_id])
    )
    const status = "SANDBOX_QUEUED"
    expect(result.structured["data"]).toEqual(
      recipients.map((recipient) => ({ recipient, message_id: idOf.get(recipient), status }))
    )
  })
})

describe("the result of a batch", () => {
  it("counts what was accepted without an id, and does not say to follow it", async () => {
    await using server = await guarded(anyRoute, [], { person })
    await server.upstream.setFault({ fault: "BodyCutOff", times: 2 })
    const { structured, text } = await batch(server, { message, recipients: numbers(2) })
    expect(structured).toMatchObject({ sent: 2, data: [], left_out: [{ count: 2 }] })
    expect(text).not.toContain("Follow")
  })
})

/** Numbers with which the sandbox fails as forced, that differ before their ending. */
const failing = (ending: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => `+1555${100 + at}${ending}`)

// Transcript.test.ts has the texts of its refusals and of its question.
describe("a batch is checked before anything of it is sent:", () => {
  it.each([
    [["--max-batch=5", "--max-sends-per-hour=6"], 5, false],
    // So many need a higher limit of the hour, too.
    [[], 100, true]
  ])("its rows are counted, with %j", async (args, most, isOverHour) => {
    await using server = await guarded(anyRoute, args, { person: () => decline })
    const codeOf = async (count: number) =>
      (await batch(server, { message, recipients: numbers(count) })).error["code"]
    const refused = await batch(server, { message, recipients: numbers(most + 1) })
    expect(refused.error["code"]).toBe("too_many_rows")
    expect(refused.text.includes("They need --max-sends-per-hour")).toBe(isOverHour)
    expect(server.questions).toEqual([])
    expect(await codeOf(most)).toBe("confirmation_declined")
  })

  it.each([
    ["before a person is asked", [], { person }, 1],
    ["where nobody is asked", ["--confirm=off", "--allow-recipients=*"], {}, 0]
  ] as const)(
    "a batch that does not fit into the limit, %s",
    async (_, args, client, questions) => {
      await using server = await guarded(anyRoute, [...args, "--max-sends-per-hour=10"], client)
      await batch(server, { message, recipients: numbers(4) })
      const refused = await batch(server, { message, recipients: numbers(7, 50) })
      expect(refused.error).toMatchObject({ code: "limit_reached", outcome: "not-sent" })
      expect(server.questions).toHaveLength(questions)
      // What was sent before does not count again.
      expect((await batch(server, { message, recipients: numbers(10) })).structured).toMatchObject({
        sent: 10
      })
      expect(await server.sent()).toBe(10)
    }
  )

  it("numbers without a country code are told to the person", async () => {
    await using server = await guarded(anyRoute, [], { person })
    await batch(server, { message, recipients: ["0700000001", "+254700000002", "0700 000 003"] })
    expect(server.questions).toEqual([
      'Send 3 SMS? 2 without + and a country code, 1 with country code +254, 3 segments: "Your table is ready." To 0700000001, +254700000002, 0700000003'
    ])
  })

  it.each([
    {},
    { message },
    { recipients: numbers(2) },
    { message, recipients: [] },
    { rows: [] },
    { message, recipients: numbers(2), rows: [{ recipient: "+1", message }] },
    { message, rows: [{ recipient: "+1", message }] }
  ])("neither of the two forms: %j", async (args) => {
    await using server = await guarded(anyRoute, [], { person })
    const refused = await batch(server, args)
    expect(refused.error).toMatchObject({ code: "invalid_arguments", outcome: "not-sent" })
    expect(await server.sent()).toBe(0)
  })
})

describe("a batch goes on", () => {
  it("after rows that concern only themselves, and however many earlier calls left unknown", async () => {
    await using server = await guarded(anyRoute, [], { person })
    const recipients = [...failing("0900", 3), ...failing("0400", 1), ...numbers(5)]
    const first = await batch(server, { message, recipients })
    expect(first.structured).toMatchObject({ unknown: 3, not_sent: 1, sent: 5 })
    const more = [...recipients, ...failing("0404", 1), ...numbers(3, 20)]
    const second = await batch(server, { message, recipients: more })
    expect(second.structured).toMatchObject({ unknown: 3, not_sent: 2, sent: 8 })
    for (const { structured } of [first, second]) {
      expect(JSON.stringify(structured["causes"])).not.toContain("not_started")
    }
  })
})

const roomy = ["--max-segments", "255"]

describe("the question of a batch", () => {
  it("names every recipient, counts them by country, and cuts only texts", async () => {
    await using server = await guarded(anyRoute, roomy, { person: () => decline })
    const recipients = [...numbers(97), "+12025550123", "+33612345678", "+33612345679"]
    const text = "\u0416\u0416 ".repeat(1000)
    const rows = recipients.map((recipient, at) => ({ recipient, message: `${at} ${text}` }))
    await batch(server, { rows: rows.slice(0, 8) })
    await batch(server, { message: text, recipients })
    const [several = "", one = ""] = server.questions
    for (const { recipient } of rows.slice(0, 8)) expect(several).toContain(recipient)
    expect(several.length).toBeLessThan(3_000)
    expect(one).toMatch(
      /^Send 100 SMS\? 97 with country code \+254, 2 with country code \+33, 1 with country code \+1, 4500 segments: /
    )
    expect(one).toContain('" (here 1002 characters without a number are not shown) "')
    for (const recipient of recipients) expect(one).toContain(recipient)
    expect(one.length).toBeLessThan(4_000)
  })

  it("shows the words that texts share once, and the end of each", async () => {
    await using server = await guarded(anyRoute, roomy, { person: () => decline })
    const rows = numbers(20).map((recipient, at) => ({
      recipient,
      message: `${"Dear customer, your order is on its way. ".repeat(5)}See https://a.example/${at}`
    }))
    await batch(server, { rows })
    const long = rows.map(({ message: text, recipient }, at) => ({
      recipient,
      message: `${at} ${text}`
    }))
    await batch(server, { rows: long })
    // These share nothing, also not the blank with which one begins.
    const [one = "", other = ""] = numbers(2)
    const differing = [
      { recipient: one, message: ` ${"a".repeat(700)} ${"b".repeat(400)}` },
      { recipient: other, message: `Xyz${"c".repeat(700)}` }
    ]
    await batch(server, { rows: differing })
    const [shared = "", whole = "", none = ""] = server.questions
    expect(none).toContain(`to ${other}: "Xyzccc`)
    expect(shared).toContain(': each begins "Dear customer, ')
    expect(shared).toContain('; to +254700000002: …"See https://a.example/1"; to +254700000003')
    expect(shared.match(/Dear customer/g)).toHaveLength(5)
    for (const row of long) expect(whole).toContain(`to ${row.recipient}: "${row.message}"`)
  })

  it("shows every text of two segments whole, however many there are", async () => {
    await using server = await guarded(anyRoute, roomy, { person: () => decline })
    const rows = numbers(40).map((recipient, at) => ({
      recipient,
      message: `${at} `.padEnd(306, "words ")
    }))
    await batch(server, { rows })
    const [question = ""] = server.questions
    expect(question).toMatch(/^Send 40 SMS\? 40 with country code \+254, 80 segments, 40 texts: /)
    for (const row of rows) expect(question).toContain(`to ${row.recipient}: "${row.message}"`)
  })
})

describe("a batch stops", () => {
  it.each(["0402", "0401", "0429"])(
    "when every further row would fail with %s too",
    async (ending) => {
      await using server = await guarded(anyRoute, [], { person })
      const recipients = failing(ending, 40)
      const result = await batch(server, { message, recipients })
      const { not_sent, sent, unknown } = result.structured
      expect([sent, not_sent, unknown]).toEqual([0, 40, 0])
      const asked = (await server.upstream.requests()).length
      expect(asked).toBeLessThanOrEqual(4)
      expect(result.structured["causes"]).toEqual([
        expect.objectContaining({ code: "send_failed", http_status: Number(ending.slice(1)) }),
        {
          outcome: "not-sent",
          code: "not_started",
          rows: `${asked + 1}-40`,
          what: `This call did not send it: the batch stopped at a failure that would meet all: HTTP ${Number(ending)}.`,
          next: "Do first what the cause with this failure says. The same call, without again, sends what was not sent."
        }
      ])
    }
  )

  it("when so many rows are unknown as can be in flight", async () => {
    await using server = await guarded(anyRoute, [], { person })
    await server.upstream.setFault({ fault: "ResetBeforeAcceptance" })
    const recipients = numbers(40)
    const result = await batch(server, { message, recipients })
    const unknown = Number(result.structured["unknown"])
    expect(unknown).toBeGreaterThanOrEqual(4)
    expect(unknown).toBeLessThan(8)
    expect(result.structured).toMatchObject({ sent: 0, not_sent: 40 - unknown })
    expect(result.structured["causes"]).toContainEqual({
      outcome: "not-sent",
      code: "not_started",
      rows: expect.stringMatching(/-40$/),
      what: "This call did not send it: the batch stopped, because the outcome of too many of its SMS is unknown.",
      next: "Ask the person first. The same call, without again, sends what was not sent, and its outcome may be unknown, too."
    })
    await server.upstream.clearFault()
    const again = await batch(server, { message, recipients })
    expect(again.structured).toMatchObject({ sent: 40 - unknown, not_sent: 0, unknown })
  })

  it("with again, and the same call without it sends only what was not sent", async () => {
    await using server = await guarded(anyRoute, [], { person })
    await server.upstream.setFault({ fault: "ResetAfterAcceptance" })
    const recipients = numbers(40)
    for (const end of [8, 16, 24]) {
      await batch(server, { message, recipients: recipients.slice(0, end) })
    }
    const stopped = await batch(server, { message, recipients, again: true })
    const { failed, next, unknown } = stopped.structured
    expect(next).toContain(
      "Each cause says whether to make the same call, without again, which asks the person where it can, and sends only what was not sent."
    )
    // Those of which an earlier call left the outcome unknown, and that this call did not start, have their id, too.
    expect(stopped.structured["causes"]).toContainEqual(
      expect.objectContaining({ outcome: "unknown", code: "not_started" })
    )
    expect(failed).toHaveLength(Number(unknown))
    for (const row of failed as ReadonlyArray<object>) {
      expect(row).toMatchObject({ outcome: "unknown", id: expect.any(Number) })
    }
    await server.upstream.clearFault()
    const before = await server.sent()
    const rest = await batch(server, { message, recipients })
    expect(rest.structured).toMatchObject({ sent: 40 - Number(unknown), not_sent: 0, unknown })
    expect((await server.sent()) - before).toBe(40 - Number(unknown))
  })
})

/** Numbers for which the service responds only after `hurry`. */
const slow = (count: number) => failing("0901", count)

/** Lets the service respond until it has responded to so many requests. */
const hurry = async ({ upstream }: Guarded, count: number): Promise<void> => {
  for (let known = 4; known < count; known += 4) {
    await upstream.hurry()
    await upstream.until(({ requests }) => requests.length >= Math.min(known + 4, count))
  }
  await upstream.hurry()
}

describe.for(eachOnce)("a batch in flight, $era over $over", (route) => {
  it("has four requests in flight", async () => {
    await using server = await guarded(route, [], { person })
    const result = batch(server, { message, recipients: slow(10) })
    await server.upstream.until(({ requests }) => requests.length >= 4)
    // By now a fifth request would have arrived.
    await server.call("preview_sms", { message })
    expect(await server.upstream.requests()).toHaveLength(4)
    await hurry(server, 10)
    expect((await result).structured).toMatchObject({ sent: 10 })
  })

  it("is stopped by a cancelled call, except for what is in flight", async () => {
    await using server = await guarded(route, ["--confirm", "off", "--allow-recipients", "*"])
    const gone = new AbortController()
    const args = { message, recipients: slow(10) }
    const cancelled = server.call("send_sms_batch", args, { signal: gone.signal })
    await server.upstream.until(({ requests }) => requests.length >= 4)
    gone.abort()
    await expect(cancelled).rejects.toThrow(/./)
    await server.call("preview_sms", { message })
    await server.upstream.hurry()
    expect(await server.sent()).toBe(4)
    const again = batch(server, args)
    await hurry(server, 10)
    expect((await again).structured).toMatchObject({ sent: 10, not_sent: 0 })
    expect((await recipientsOf(server)).toSorted()).toEqual(slow(10))
  })
})
