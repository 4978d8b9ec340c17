import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, it, onTestFinished } from "vitest"
import { anyRoute, approve, guarded } from "../support/GuardedServer.ts"
import { runInProcess } from "../support/InProcessServer.ts"
import { slowRecipient } from "../support/RealSandbox.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

// What a process knows of its own sends comes before what its state says.

const sms = { recipient: "+254700000001", message: "Hello" }

/** A state in which no outcome of the given kind can be written, as on a disk that is full. */
const stateWithout = (outcome: "sent" | "unknown") => {
  const file = join(temporaryFolder(), "sends.sqlite")
  return {
    args: ["--state", `sqlite:${file}`],
    refuse: () => {
      const database = new DatabaseSync(file)
      onTestFinished(() => database.close())
      database.exec(
        `create trigger refuse before update on send when new.state = '${outcome}'
        begin select raise(fail, 'database or disk is full'); end`
      )
    }
  }
}

it("a send that went out stays sent when its outcome cannot be written", async () => {
  const { args, refuse } = stateWithout("sent")
  await using server = await guarded(anyRoute, args)
  await server.send({ ...sms, message: "The first send makes the tables" })
  refuse()
  const first = await server.send(sms)
  expect(first).toMatchObject({ isError: false, duplicate: false })
  const repeated = { isError: false, duplicate: true, messageIds: first.messageIds }
  expect(await server.send(sms)).toMatchObject(repeated)
  // The claim without an outcome reads as unknown now.
  server.pass("2 minutes")
  expect(await server.send(sms)).toMatchObject(repeated)
  expect(await server.sent()).toBe(2)
})

it("a later decision of a person comes before an unknown outcome that cannot be written", async () => {
  const { args, refuse } = stateWithout("unknown")
  await using server = await guarded(anyRoute, args)
  await server.send({ ...sms, message: "The first send makes the tables" })
  refuse()
  await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
  expect((await server.send(sms)).error).toMatchObject({ code: "send_unknown" })
  server.pass("2 minutes")
  expect((await server.send(sms)).error).toMatchObject({ code: "unknown_not_resent" })
  const { stdout } = await runInProcess(["sends", "--unknown", "--json", ...args])
  await runInProcess(["resolve", String(JSON.parse(stdout).id), "--resend", ...args])
  expect(await server.send(sms)).toMatchObject({ isError: false, duplicate: false })
})

it.each([
  ["a repeated call", {}],
  ["a call that accepts that it may arrive twice", { again: true }]
])("%s waits for a send in flight, even if the clock jumps in the meantime", async (_, again) => {
  await using server = await guarded(anyRoute, [], { person: () => approve })
  const slow = { ...sms, recipient: slowRecipient }
  const sending = server.send(slow)
  await server.upstream.until(({ requests }) => requests.length >= 1)
  server.pass("1 hour")
  const repeated = server.send({ ...slow, ...again })
  // When another call has its result, the repeated one waits.
  await server.client.callTool({ name: "preview_sms", arguments: { message: "x" } })
  await server.upstream.hurry()
  const { messageIds } = await sending
  expect(await repeated).toMatchObject({ isError: false, duplicate: true, messageIds })
  expect(await server.sent()).toBe(1)
})

it("an approved second send waits for one in flight, even if the clock jumps in the meantime", async () => {
  const decided = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  let questions = 0
  await using server = await guarded(anyRoute, ["--confirm", "off", "--allow-recipients", "*"], {
    person: async () => {
      questions += 1
      if (questions === 1) {
        asked.resolve()
        await decided.promise
      }
      return approve
    }
  })
  const slow = { ...sms, recipient: slowRecipient }
  await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
  const first = server.send(slow)
  await server.upstream.until(({ requests }) => requests.length >= 1)
  await server.upstream.hurry()
  expect((await first).error).toMatchObject({ code: "send_unknown" })
  const late = server.send({ ...slow, again: true })
  await asked.promise
  const sending = server.send({ ...slow, again: true })
  await server.upstream.until(({ requests }) => requests.length >= 2)
  server.pass("2 minutes")
  decided.resolve()
  // When another call has its result, the late one waits.
  for (let turn = 0; turn < 5; turn += 1) {
    await server.client.callTool({ name: "preview_sms", arguments: { message: "x" } })
  }
  await server.upstream.hurry()
  const { messageIds } = await sending
  expect(await late).toMatchObject({ isError: false, duplicate: true, messageIds })
  expect(await server.upstream.requests()).toHaveLength(2)
})
