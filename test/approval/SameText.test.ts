import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makeJournal, operate } from "../harness/Command.ts"
import { errorBody } from "../harness/Contract.ts"
import { anyRoute, approve, decline, eachOnce, guarded } from "../harness/mcp/GuardedServer.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

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
      /^Send this SMS\? The service accepted the same text for this number 5 minutes ago, perhaps for a later time\. To \+254700000001, /
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
    expect(server.questions[1]).toContain(
      "The service accepted the same text for this number 21 hours ago, perhaps for a later time."
    )
    await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
    await server.send({ ...sms, scheduled_time: "20:00" })
    await server.send({ ...sms, scheduled_time: "21:00" })
    expect(server.questions[3]).toContain(
      "The service accepted, or may have accepted, the same text for this number less than a minute ago: the service accepted it 2 times, and one send of it may have gone out (id 3)."
    )
    // One that went out does not hide one before it.
    await server.send({ ...sms, scheduled_time: "22:00" })
    expect(server.questions[4]).toContain(
      "The service accepted the same text for this number 3 times, last less than a minute ago, perhaps for a later time, and one earlier send of it may have gone out (id 3)."
    )
    await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
    await server.send({ ...sms, scheduled_time: "23:00" })
    await server.send({ ...sms, sender_id: "ACME" })
    expect(server.questions[6]).toContain(
      "The service accepted, or may have accepted, the same text for this number less than a minute ago: the service accepted it 4 times, and 2 sends of it may have gone out (ids 6, 3)."
    )
    await server.send({ ...sms, sender_id: "Other" })
    expect(server.questions[7]).toContain(
      "The service accepted the same text for this number 5 times, last less than a minute ago, perhaps for a later time, and 2 earlier sends of it may have gone out (ids 6, 3)."
    )
  })

  it.each(eachOnce)("is told with how often it went out, $era over $over", async (route) => {
    await using server = await guarded(route, [], { person: () => approve })
    await server.send(sms)
    await server.send({ ...sms, again: true })
    server.pass("26 hours")
    await server.send(sms)
    expect(server.questions[2]).toContain(
      "Send this SMS? The service accepted the same text for this number 2 times, last 26 hours ago, perhaps for a later time. "
    )
    server.pass("26 hours")
    const other = { recipient: "+254700000002", message: "Lunch?" }
    await server.call("send_sms_batch", { rows: [sms, other] })
    expect(server.questions[3]).toContain(
      "The service accepted the same text for +254700000001 3 times, last 26 hours ago, perhaps for a later time. "
    )
    server.pass("26 hours")
    await server.call("send_sms_batch", { rows: [sms, other] })
    expect(server.questions[4]).toContain(
      "The service accepted the same text for +254700000001, +254700000002 up to 4 times, last 26 hours ago, perhaps for a later time. "
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
    expect(server.questions[2]).toContain(
      "The service accepted the same text for this number 21 hours ago, perhaps for a later time."
    )
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
      "The service accepted the same text for +254700000001 less than a minute ago, perhaps for a later time."
    )
    expect(whole).not.toContain("same text")
  })
})

describe("the same text that a list sent to the number", () => {
  const [sent, unknown] = ["+15551000001", "+15551000900"]

  /** A server on the journal of a list that sent one SMS, and left one unknown, on which a person may have decided. */
  const afterList = async (
    args: ReadonlyArray<string>,
    person?: () => unknown,
    decision: ReadonlyArray<string> = []
  ) => {
    const folder = temporaryFolder()
    const [list, journal] = [join(folder, "list.csv"), join(folder, "sends.sqlite")]
    writeFileSync(list, `recipient,message\n${sent},Dinner?\n${unknown},Dinner?\n`)
    await Effect.runPromise(makeJournal(journal))
    const server = await guarded(anyRoute, [`--journal=${journal}`, ...args], { person })
    await operate(["run", list, "--yes", "--journal", journal], server.upstream.env)
    if (decision.length > 0) await operate(["resolve", list, ...decision, "--journal", journal])
    return server
  }

  it("is told as a person's decision, if a person decided so", async () => {
    await using server = await afterList([], () => approve, ["--sent", "--yes"])
    await server.send({ recipient: unknown, message: "Dinner?" })
    await server.call("send_sms_batch", { message: "Dinner?", recipients: [sent, unknown] })
    const [decided, mixed] = server.questions
    expect(decided).toContain(
      "Send this SMS? A person decided that the same text for this number went out, less than a minute ago. "
    )
    expect(mixed).toContain("The service accepted the same text for")
  })

  it("is told with how often it went out at most, if a person decided so of one number", async () => {
    await using server = await afterList([], () => approve, ["--sent", "--yes"])
    await server.send({ recipient: sent, message: "Dinner?", sender_id: "ACME" })
    await server.call("send_sms_batch", { message: "Dinner?", recipients: [sent, unknown] })
    expect(server.questions[1]).toContain(
      `The service accepted, or may have accepted, the same text for ${sent}, ${unknown} less than a minute ago: the service accepted it up to 2 times. `
    )
  })

  it("is told in the question", async () => {
    await using server = await afterList([], () => approve)
    await server.send({ recipient: sent, message: "Dinner?" })
    await server.send({ recipient: unknown, message: "Dinner?" })
    await server.send({ recipient: unknown, message: "Lunch?" })
    const [ofSent, ofUnknown, other] = server.questions
    expect(ofSent).toContain(
      "The service accepted the same text for this number less than a minute ago"
    )
    expect(ofUnknown).toMatch(
      /The service accepted, or may have accepted, the same text for this number less than a minute ago \(id \d\)/
    )
    // Of other texts of lists, a caller learns nothing: this one is its own.
    expect(other).toMatch(/^Send this SMS\? It is not known whether an earlier SMS to this number/)
  })

  it.each([
    ["confirmation_declined", () => decline],
    ["confirmation_unavailable", undefined]
  ] as const)("is not told in the result of a call that sent nothing: %s", async (code, person) => {
    await using server = await afterList(["--confirm=require"], person)
    for (const recipient of [sent, unknown]) {
      const { error, text } = await server.send({ recipient, message: "Dinner?" })
      expect(error).toMatchObject({ code, outcome: "not-sent" })
      expect(text).not.toMatch(/same text|accepted/)
    }
  })

  it("is told in the result where nobody was asked, if it is unknown", async () => {
    await using server = await afterList(["--confirm", "off"])
    const { text } = await server.send({ recipient: unknown, message: "Dinner?" })
    expect(text).toMatch(/may have accepted, the same text for this number .* \(id \d\)/)
    expect(text).toContain("or, if a list or a program sent it, in messaging-topup sends --unknown")
  })
})

describe("an SMS to the number of which it is not known whether it went out", () => {
  const lost = { fault: "ResetAfterAcceptance", times: 1 } as const
  const reworded = { ...sms, message: "Shall we have dinner?" }

  it("is told in the question about another text, not in its result", async () => {
    await using server = await guarded(anyRoute, [], { person: () => approve })
    await server.upstream.setFault(lost)
    const { id } = (await server.send(sms)).structured
    server.pass("5 minutes")
    const { whole } = await server.send(reworded)
    expect(server.questions[1]).toContain(
      `Send this SMS? It is not known whether an earlier SMS to this number went out (id ${String(id)}, 5 minutes ago). To +254700000001, `
    )
    expect(whole).not.toContain("earlier SMS")
  })

  it("is told once, though the question says of the same text or the same SMS that it may have gone out", async () => {
    await using server = await guarded(anyRoute, [], { person: () => approve })
    await server.upstream.setFault(lost)
    await server.send(sms)
    await server.send({ ...sms, scheduled_time: "20:00" })
    // Nobody sees a blank at the end: it is the same SMS.
    await server.send({ ...sms, message: `${sms.message} `, again: true })
    expect(server.questions[1]).toContain(
      "The service accepted, or may have accepted, the same text for this number"
    )
    expect(server.questions[2]).toContain("Send this SMS AGAIN?")
    expect(server.questions.join()).not.toContain("not known")
  })

  it("is told in the result where nobody was asked", async () => {
    await using server = await guarded(anyRoute, ["--confirm", "off"])
    await server.upstream.setFault(lost)
    await server.send(sms)
    server.pass("5 minutes")
    const next =
      "Tell the person: what is still unknown is in list_recent_sends with the recipients"
    const other = await server.send(reworded)
    expect(other.text).toContain(
      "It is not known whether an earlier SMS to this number went out (id 1, 5 minutes ago). "
    )
    expect(other.text).toContain(next)
    const same = await server.send({ ...sms, sender_id: "ACME" })
    expect(same.text).toContain(
      "The service accepted, or may have accepted, the same text for this number 5 minutes ago (id 1). "
    )
    const recipients = [sms.recipient, "+254700000002"]
    const batch = await server.call("send_sms_batch", { message: "Lunch?", recipients })
    expect(batch.text).toContain(
      `It is not known whether an earlier SMS to ${sms.recipient} went out (id 1, 5 minutes ago). `
    )
    expect(batch.text).toContain(next)
    // Of what went out, nothing is told.
    const second = await server.send({ ...sms, recipient: "+254700000002", message: "Dinner?" })
    expect(second.text).not.toMatch(/not known|same text|list_recent_sends/)
  })

  it("is told in the result of one of two calls at once, and of two batches", async () => {
    await using server = await guarded(anyRoute, ["--confirm", "off"])
    const recipients = [sms.recipient, "+254700000002"]
    const batch = (message: string) => server.call("send_sms_batch", { message, recipients })
    await server.upstream.setFault({ ...lost, times: 4 })
    const both = await Promise.all([batch("Lunch?"), batch("Breakfast?")])
    const told = /It is not known whether (an|2) earlier SMS/
    expect(both.some(({ text }) => told.test(text))).toBe(true)
    await server.upstream.setFault({ ...lost, times: 2 })
    const two = [sms, reworded].map((each) => server.send({ ...each, recipient: "+254700000003" }))
    expect((await Promise.all(two)).filter(({ text }) => told.test(text))).toHaveLength(1)
  })

  it("is not told of another number, nor after a decision", async () => {
    const file = join(temporaryFolder(), "sends.sqlite")
    await using server = await guarded(anyRoute, [`--journal=${file}`], { person: () => approve })
    await server.upstream.setFault(lost)
    const { id } = (await server.send(sms)).structured
    await server.send({ ...reworded, recipient: "+254700000002" })
    await operate(["resolve", "--id", String(id), "--not-sent", "--yes", "--journal", file])
    await server.send(reworded)
    expect(server.questions).toHaveLength(3)
    expect(server.questions.join()).not.toContain("not known")
  })

  it("is told of all, and of several rows to a number once", async () => {
    await using server = await guarded(anyRoute, [], { person: () => approve })
    await server.upstream.setFault({ ...lost, times: 6 })
    for (const message of ["Eight?", "At eight?", "Dinner at eight?"]) {
      await server.send({ ...sms, message })
    }
    server.pass("5 minutes")
    const rows = ["Seven?", "At seven?"].map((message) => ({ ...sms, message }))
    await server.call("send_sms_batch", { rows })
    expect(server.questions.slice(1)).toEqual([
      expect.stringContaining("whether an earlier SMS to this number went out (id 1, less"),
      expect.stringContaining(
        "It is not known whether 2 earlier SMS to this number went out (ids 2, 1, the last one less than a minute ago). "
      ),
      expect.stringContaining(
        `It is not known whether 3 earlier SMS to ${sms.recipient} went out (ids 3, 2, 1, the last one 5 minutes ago). `
      )
    ])
    await server.send({ ...sms, message: "Six?" })
    await server.send(reworded)
    expect(server.questions.at(-1)).toContain(
      "whether 6 earlier SMS to this number went out (ids 6, 5, 4, 3, 2 and 1 more, the last one"
    )
  })

  it.each([
    ["became unknown", { ...sms, message: "Come at 5" }, lost],
    ["with the same text went out", { ...sms, sender_id: "ACME" }, undefined]
  ] as const)(
    "is told in a second question, if it %s while a person read the first",
    async (_, meanwhile, fault) => {
      const second = { ...sms, message: fault === undefined ? sms.message : "Please come at 5" }
      for (const route of eachOnce) {
        const asked = new Array<string>()
        await using server = await guarded({ ...route, over: "http" }, [], {
          person: async (question) => {
            asked.push(question)
            if (asked.length === 1) {
              await using other = await server.another(() => approve)
              if (fault !== undefined) await server.upstream.setFault(fault)
              await other.send(meanwhile)
            }
            return approve
          }
        })
        const { error } = await server.send(second)
        expect(error).toMatchObject({ code: "approval_invalid", outcome: "not-sent" })
        expect(await server.sent()).toBe(1)
        expect((await server.send(second)).isError).toBe(false)
        expect(asked[0]).not.toMatch(/not known|same text/)
        expect(asked[1]).toMatch(/not known whether an earlier SMS|accepted the same text for this/)
        expect(await server.sent()).toBe(2)
      }
    }
  )

  it("holds back only the rows to its number, of a batch that a person read meanwhile", async () => {
    const batch = { message: reworded.message, recipients: [sms.recipient, "+254700000002"] }
    let hasSent = false
    await using server = await guarded({ era: "legacy", over: "http" }, [], {
      person: async () => {
        if (hasSent) return approve
        hasSent = true
        await using other = await server.another(() => approve)
        await server.upstream.setFault(lost)
        await other.send(sms)
        return approve
      }
    })
    const { structured, whole } = await server.call("send_sms_batch", batch)
    expect(structured).toMatchObject({ sent: 1, not_sent: 1, unknown: 0 })
    expect(structured["causes"]).toMatchObject([{ code: "approval_invalid", rows: "1" }])
    expect(whole).toContain("what is known of its SMS changed")
    const { structured: again } = await server.call("send_sms_batch", batch)
    expect(again).toMatchObject({ sent: 2, sent_by_this_call: true })
    expect(server.questions.at(-1)).toMatch(/^Send 1 of these 2 SMS\? It is not known whether an/)
  })

  it("is told of the numbers of a batch, with the ids of the last", async () => {
    let says = approve
    await using server = await guarded(anyRoute, [], { person: () => says })
    const many = Array.from({ length: 6 }, (_, at) => `+1555${at + 1}000900`)
    const [first = "", second = ""] = many
    const ids = new Array<string>()
    for (const recipient of many) {
      const { error } = await server.send({ ...sms, recipient })
      ids.push(String(error["id"]))
    }
    server.pass("5 minutes")
    says = decline
    const asks = async (recipients: ReadonlyArray<string>) => {
      await server.call("send_sms_batch", { message: reworded.message, recipients })
      return server.questions.at(-1)
    }
    expect(await asks([first, "+254700000001"])).toContain(
      `Send 2 SMS? It is not known whether an earlier SMS to ${first} went out (id ${ids[0]}, 5 minutes ago). `
    )
    expect(await asks(["+254700000001", first, second])).toContain(
      `It is not known whether 2 earlier SMS to ${first}, ${second} went out (ids ${ids[1]}, ${ids[0]}, the last one 5 minutes ago). `
    )
    expect(await asks([...many, "+254700000003"])).toContain(
      `Send 7 SMS? It is not known whether 6 earlier SMS to 6 of these numbers went out (ids ${ids.slice(1).toReversed().join(", ")} and 1 more, the last one 5 minutes ago). `
    )
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
