import { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { smallDisk } from "../harness/journal/SmallDisk.ts"
import { rewriting } from "../harness/journal/Statements.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { guarded, resultOf } from "../harness/mcp/GuardedServer.ts"
import { callOf, openStdio } from "../harness/mcp/RawStdio.ts"
import { openSandbox, slowRecipient } from "../harness/mcp/RealSandbox.ts"
import { turn } from "../harness/TestTime.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

const route = { era: "modern", over: "stdio" } as const

const newFile = (): string => join(temporaryFolder(), "sends.sqlite")

it("a blocked journal does not delay a result, and has the outcome after a restart", async () => {
  const file = newFile()
  const state = ["--journal", file]
  await using upstream = await openSandbox()
  const slow = { ...sms, recipient: slowRecipient }
  const other = new DatabaseSync(file)
  onTestFinished(() => other.close())
  const messageIds = await (async () => {
    await using server = await guarded(route, state, { environment: upstream.env })
    const sending = server.send(slow)
    await upstream.until(({ requests }) => requests.length >= 1)
    other.exec("begin immediate")
    await upstream.hurry()
    const sent = await sending
    expect(sent).toMatchObject({ isError: false, duplicate: false })
    // The server stops now, while the journal is still blocked.
    queueMicrotask(() => other.exec("rollback"))
    return sent.messageIds
  })()
  await using server = await guarded(route, state, { environment: upstream.env })
  expect(await server.send(slow)).toMatchObject({ duplicate: true, messageIds })
})

it("with a full disk nothing is sent, and with free space again sends work", async (context) => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const disk = await Effect.runPromise(Scope.provide(smallDisk, scope))
  if (disk === undefined) return context.skip("mounting a small disk is not allowed")
  await using upstream = await openSandbox()
  const state = ["--allow-recipients=*", "--journal", join(disk.path, "sends.sqlite")]
  const client = await openStdio("modern", state, { env: upstream.env })
  const send = async (id: number) =>
    resultOf((await client.ask(callOf("modern", id, "send_sms", sms))).result)
  disk.fill()
  const refused = await send(1)
  expect(refused.error).toMatchObject({ code: "journal_unavailable", sent_by_this_call: false })
  expect(refused.text).toContain("the disk is full: free some space")
  expect(await upstream.requests()).toEqual([])
  disk.free()
  expect(await send(2)).toMatchObject({ isError: false, duplicate: false })
  client.server.stop()
  await client.server.ended
})

it("a process that was suspended until its claim was stale does not send", async () => {
  await using server = await guarded(route, ["--journal", newFile()])
  await server.send({ ...sms, message: "The first send opens the memory" })
  const standStillAfterTheClaim = (sql: string) => {
    if (sql === "commit") server.pass("2 minutes")
    return sql
  }
  const refused = await Effect.runPromise(
    rewriting(
      standStillAfterTheClaim,
      Effect.promise(() => server.send(sms))
    )
  )
  expect(refused.text).toMatch(
    /^The SMS was not sent: this call did not start its request, .* in time/
  )
  expect(await server.sent()).toBe(1)
  // The log is written at the end of a turn of the event loop.
  await Effect.runPromise(turn)
  // The log shows no send without an end, which would mean that the SMS may have gone out.
  const events = server.log.entries().map(({ event }) => event)
  expect(events.filter((event) => event === "send")).toHaveLength(2)
  expect(events.filter((event) => event === "sending")).toHaveLength(2)
  expect(await server.send(sms)).toMatchObject({ isError: false, duplicate: false })
})
