/** The same call when what was sent no longer counts: whatever refuses it, it tells that the SMS went out before. */
import { describe, expect, it } from "vitest"
import type { ClientCapabilities } from "@modelcontextprotocol/client"
import { showsCards } from "../harness/mcp/CardClient.ts"
import { operate } from "../harness/Command.ts"
import { errorBody } from "../harness/Contract.ts"
import {
  anyRoute,
  approve,
  decline,
  dismiss,
  guarded,
  type Person
} from "../harness/mcp/GuardedServer.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { join } from "node:path"

/** Of two segments. */
const message = "Your table is ready. ".repeat(8)

const recipients = ["+254700000001", "+254700000002", "+254700000003"]

const [recipient = ""] = recipients

const refused = { fault: "Response", status: 400, body: JSON.stringify(errorBody(400)) } as const

const listed = (numbers: ReadonlyArray<string>) => [
  "--confirm=auto",
  `--allow-recipients=${numbers.join()}`
]

interface Day {
  readonly args?: ReadonlyArray<string>
  readonly capabilities?: ClientCapabilities
  readonly person?: Person
  /** Another SMS fills the hour. */
  readonly fills?: boolean
  /** The service refuses every request. */
  readonly fails?: boolean
  readonly again?: boolean
}

/** What refuses the call of the next day, with its code for one SMS. */
const refusals: ReadonlyArray<readonly [code: string, day: Day]> = [
  ["confirmation_declined", { person: () => decline }],
  ["confirmation_cancelled", { person: () => dismiss }],
  ["confirmation_unavailable", { args: ["--confirm=require"] }],
  ["confirmation_unavailable", { args: listed(recipients), again: true }],
  ["confirmation_on_card", { capabilities: showsCards }],
  ["recipient_not_allowed", { args: listed(["+1555*"]), person: () => approve }],
  ["too_many_segments", { args: ["--max-segments=1"], person: () => approve }],
  ["limit_reached", { args: ["--max-sends-per-hour=1"], person: () => approve, fills: true }],
  ["send_failed", { person: () => approve, fails: true }]
]

/** The calls of both days. A journal of its own lets the second server have other options. */
const onTheNextDay = async (
  { again, args = [], capabilities, fails = false, fills = false, person }: Day,
  tool: string,
  call: object
) => {
  const journal = `--journal=${join(temporaryFolder(), "sends.sqlite")}`
  const environment = {
    MESSAGING_TOPUP_MCP_ALLOW_RECIPIENTS: "",
    MESSAGING_TOPUP_MCP_CONFIRM: ""
  }
  {
    await using server = await guarded(anyRoute, [journal], { environment, person: () => approve })
    expect((await server.call(tool, call)).structured).toMatchObject({ outcome: "sent" })
  }
  await using server = await guarded(anyRoute, [journal, ...args], {
    environment,
    person,
    ...(capabilities && { capabilities })
  })
  server.pass("21 hours")
  if (fills) await server.send({ recipient, message: "Dinner?" })
  if (fails) await server.upstream.setFault({ ...refused, times: recipients.length })
  return await server.call(tool, { ...call, ...(again === true && { again }) })
}

describe.each(refusals)("%s on the next day: %j", (code, day) => {
  it("tells that the same SMS was sent", async () => {
    const { structured, text } = await onTheNextDay(day, "send_sms", { recipient, message })
    expect(structured).toMatchObject({ outcome: "not-sent", code })
    expect(text).toContain("Other sends of the same SMS: the service accepted 1.")
  })

  it("tells of how many SMS of a batch another send went out", async () => {
    const result = await onTheNextDay(day, "send_sms_batch", { recipients, message })
    expect(result.structured).toMatchObject({ outcome: "not-sent" })
    expect(result.text).toMatch(/Of (rows 1-3|3 of its 3 SMS), another send went out/)
    expect(result.text).not.toContain("SMS were sent")
  })
})

it("tells it of what still counts, too", async () => {
  const journal = `--journal=${join(temporaryFolder(), "sends.sqlite")}`
  const sms = { recipient, message }
  {
    await using server = await guarded(anyRoute, [journal], { person: () => approve })
    await server.send(sms)
    await server.send({ ...sms, again: true })
    await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
    await server.send({ ...sms, again: true })
  }
  await using server = await guarded(anyRoute, [journal, "--max-segments=1"])
  const { error, text } = await server.send(sms)
  expect(error).toMatchObject({ code: "too_many_segments", outcome: "sent", id: 3 })
  expect(text).toContain(
    "The service accepted the same SMS from an earlier call. Other sends of the same SMS: the service accepted 1, 1 may have gone out."
  )
  const batch = await server.call("send_sms_batch", { recipients, message })
  expect(batch.text).toContain(
    "Earlier calls sent 1 of its 3 SMS. Of 1 of its 3 SMS, another send went out, or may have."
  )
})

it("tells it of each row, beside one that is unknown", async () => {
  let reply = approve
  await using server = await guarded(anyRoute, [], { person: () => reply })
  const batch = { message, recipients: ["+254700000001", "+15551000900", "+254700000003"] }
  const first = await server.call("send_sms_batch", batch)
  expect(first.structured).toMatchObject({ sent: 2, unknown: 1 })
  server.pass("21 hours")
  reply = decline
  const { structured, text } = await server.call("send_sms_batch", batch)
  expect(text).toMatch(
    /^Unknown whether sent: 1 of 3 SMS\. Not sent: 2\. Of rows 1, 3, another send went out, or may have\. /
  )
  // Two of these were sent the day before.
  expect(text).not.toContain("sends only what was not sent")
  const told =
    "Do not call again unless the person asks for it. Other sends of the same SMS: the service accepted 1."
  expect(structured["causes"]).toContainEqual(
    expect.objectContaining({ code: "confirmation_declined", rows: "1, 3", next: told })
  )
})

it("tells it of what a person closed since", async () => {
  const journal = join(temporaryFolder(), "sends.sqlite")
  await using server = await guarded(anyRoute, [`--journal=${journal}`], { person: () => approve })
  const sms = { recipient, message }
  await server.send(sms)
  server.pass("21 hours")
  await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
  const lost = await server.send(sms)
  expect(lost.text).toContain(
    "It is unknown whether this send of the SMS went out. Other sends of the same SMS: the service accepted 1."
  )
  const id = String(lost.structured["id"])
  await operate(["resolve", "--id", id, "--not-sent", "--yes", "--journal", journal])
  const { structured, text } = await server.send(sms)
  expect(structured).toMatchObject({ code: "closed_by_person", outcome: "not-sent" })
  expect(text).toContain("Other sends of the same SMS: the service accepted 1.")
})
