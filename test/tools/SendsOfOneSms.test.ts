/** An SMS that was sent as a row of a batch and by single calls: each tool says the same of it. */
import { join } from "node:path"
import { expect, it } from "vitest"
import { operate } from "../harness/Command.ts"
import { anyRoute, approve, decline, guarded } from "../harness/mcp/GuardedServer.ts"
import { casesOf, expectAgreement } from "../harness/mcp/SendsOfOneSms.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const message = "Your table is ready."

// SendsOfOneSms.full.test.ts has the others.
it.each(casesOf(2))(
  "the list, the status, both calls and their refusals agree about an SMS sent by a batch and again: %s; decided: %s",
  (_, decision, history) => expectAgreement(decision, history)
)

it("a question about other rows says which sends of those left out are unknown", async () => {
  await using server = await guarded(anyRoute, [], { person: () => approve })
  const recipients = ["+254700000001", "+254700000002"]
  await server.call("send_sms_batch", { message, recipients })
  await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
  await server.send({ recipient: "+254700000001", message, again: true })
  const more = { message, recipients: [...recipients, "+254700000003"] }
  const { structured } = await server.call("send_sms_batch", more)
  expect(server.questions.at(-1)).toContain(
    "Send 1 of these 3 SMS? Left out: 2 sent before (1 perhaps more than once). "
  )
  expect(structured).toMatchObject({ outcome: "sent", sent: 3, unknown_ids: [3] })
})

it("a question about other rows says of how many left out a person decided that they were sent", async () => {
  const state = ["--journal", join(temporaryFolder(), "sends.sqlite")]
  await using server = await guarded(anyRoute, state, { person: () => approve })
  const recipients = ["+254700000001", "+254700000002"]
  await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
  const begun = await server.call("send_sms_batch", { message, recipients })
  const [lost] = begun.structured["failed"] as ReadonlyArray<{ readonly id: number }>
  await operate(["resolve", "--id", String(lost?.id), "--sent", "--yes", ...state])
  const more = { message, recipients: [...recipients, "+254700000003"] }
  await server.call("send_sms_batch", more)
  expect(server.questions.at(-1)).toContain(
    "Send 1 of these 3 SMS? Left out: 2 sent before (1 as a person decided). "
  )
})

it("a batch that the person declines whole says of how many SMS it is unknown, with the id of each send", async () => {
  const decisions = [approve, approve, decline]
  await using server = await guarded(anyRoute, [], { person: () => decisions.shift() })
  const recipients = ["+254700000001", "+254700000002", "+254700000003"]
  const lost = { fault: "ResetAfterAcceptance", times: 3 } as const
  await server.upstream.setFault(lost)
  await server.call("send_sms_batch", { message, recipients })
  await server.upstream.setFault(lost)
  const again = { message, recipients, again: true }
  const { structured } = await server.call("send_sms_batch", again)
  const rows = structured["failed"] as ReadonlyArray<{
    readonly unknown_ids: ReadonlyArray<number>
  }>
  const ids = rows.flatMap((row) => row.unknown_ids)
  expect(ids.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6])
  const { error, text } = await server.call("send_sms_batch", again)
  expect(error).toMatchObject({ code: "confirmation_declined", outcome: "unknown" })
  expect(error["unknown_ids"]).toEqual([6, 5, 4, 3, 2, 1])
  expect(text).toContain(
    "It is still unknown of 3 of its 3 SMS whether an earlier send went out: do not send these again without the person."
  )
})
