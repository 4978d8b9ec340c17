/** What nobody means as a text, a sender or a time is refused, and what somebody may mean is asked about. */
import { expect, it } from "vitest"
import { anyRoute, approve, guarded } from "../harness/mcp/GuardedServer.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

/** A value of each kind, and what the refusal says of it. */
const values: Readonly<Record<string, string>> = {
  "#N/A": "is an error of a spreadsheet",
  "#####": "is an error of a spreadsheet",
  NULL: "is a word of programs for no value",
  null: "is a word of programs for no value",
  undefined: "is a word of programs for no value",
  "Hi {{ name }}": "has a placeholder such as {{name}} that nobody filled",
  'Hi</message><parameter name="sender_id">': "has <parameter name=",
  "\u2800 \u200b": "has no visible character"
}

const fields = ["message", "sender_id", "scheduled_time"] as const

const cases = fields.flatMap((field) =>
  Object.entries({
    ...values,
    // The others must be one line.
    ...(field === "message"
      ? { "a\u0000b": "has a control character", "  ": "has no visible" }
      : {})
  }).map(([value, why]) => [field, value, why] as const)
)

it("a tool refuses what nobody means, and names the argument and the row", async () => {
  await using server = await guarded(anyRoute)
  for (const [field, value, why] of cases) {
    const { error, text } = await server.send({ ...sms, [field]: value })
    expect(error, value).toMatchObject({ code: "invalid_arguments", outcome: "not-sent" })
    expect(text).toContain(`The SMS was not sent: its ${field} ${why}`)
  }
  const rows = [sms, { ...sms, message: "NULL" }, { ...sms, message: "Hi {{name}}" }]
  const batch = await server.call("send_sms_batch", { rows })
  expect(batch.text).toContain("row 2: its message is a word of programs for no value; row 3: its")
  expect(await server.sent()).toBe(0)
})

it("a word that is a part of a text or a name is sent", async () => {
  await using server = await guarded(anyRoute)
  const messages = ["#1 in town", "Nan called", "null and void", "1 < 2 {", "NAN"]
  for (const message of messages) await server.send({ ...sms, message })
  expect(await server.sent()).toBe(messages.length)
})

it("what may be a placeholder is asked about, and refused where nobody is asked", async () => {
  const message = "Connect to port {port} or {host name}"
  await using asks = await guarded(anyRoute, [], { person: () => approve })
  expect(await asks.send({ ...sms, message })).toMatchObject({ isError: false })
  const rows = [sms, { recipient: "+254700000002", message }]
  expect(await asks.call("send_sms_batch", { rows })).toMatchObject({ isError: false })
  for (const question of asks.questions) {
    expect(question).toContain("A text has {port}, perhaps a placeholder that nobody filled.")
  }
  await using off = await guarded(anyRoute, ["--confirm=off", "--allow-recipients=*"], {
    person: () => approve
  })
  expect(await off.send(sms)).toMatchObject({ isError: false })
  expect(await off.send({ ...sms, message })).toMatchObject({ isError: false })
  expect(off.questions).toHaveLength(1)
  await using mute = await guarded(anyRoute)
  for (const refused of [
    await mute.send({ ...sms, message }),
    await mute.call("send_sms_batch", { rows })
  ]) {
    expect(refused.error).toMatchObject({ code: "invalid_arguments", outcome: "not-sent" })
    expect(refused.text).toContain("a text has {port}, which looks like a placeholder")
  }
  expect(await mute.sent()).toBe(0)
})
