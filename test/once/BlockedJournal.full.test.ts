/**
 * Another program holds the lock of the journal while a server stores an outcome. Each test waits for seconds: for the lock,
 * and for what the server tries again.
 */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setImmediate } from "node:timers/promises"
import { expect, it, onTestFinished } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import {
  anyRoute,
  type CallResult,
  type Guarded,
  guarded,
  type Sms
} from "../harness/mcp/GuardedServer.ts"
import { openSandbox, slowRecipient } from "../harness/mcp/RealSandbox.ts"

const slow = { recipient: slowRecipient, message: "Hello" }

const openJournal = () => {
  const file = join(temporaryFolder(), "sends.sqlite")
  const block = () => {
    const other = new DatabaseSync(file)
    onTestFinished(() => other.close())
    other.exec("begin immediate")
    return { release: () => other.exec("rollback") }
  }
  return { state: ["--journal", file], block }
}

/** What the same call says when the outcome of the first is in the journal. It is called again without a pause. */
const settled = async (server: Guarded, request: Sms): Promise<CallResult> => {
  while (true) {
    const result = await server.send(request)
    if (result.error["code"] !== "in_flight_elsewhere") return result
    // Streams within a process leave no turn to its timers.
    await setImmediate()
  }
}

it("a blocked journal does not delay a result, and has the outcome after a restart", async () => {
  const { state, block } = openJournal()
  await using upstream = await openSandbox()
  const messageIds = await (async () => {
    await using server = await guarded(anyRoute, state, { environment: upstream.env })
    const sending = server.send(slow)
    await upstream.until(({ requests }) => requests.length >= 1)
    const { release } = block()
    await upstream.hurry()
    const sent = await sending
    expect(sent).toMatchObject({ isError: false, duplicate: false })
    // The server stops now, while the journal is still blocked.
    queueMicrotask(release)
    return sent.messageIds
  })()
  await using server = await guarded(anyRoute, state, { environment: upstream.env })
  expect(await settled(server, slow)).toMatchObject({ duplicate: true, messageIds })
})

it("a client that calls again at once, and again, does not keep an outcome from the journal", async () => {
  const { state, block } = openJournal()
  const overHttp = { era: "modern", over: "http" } as const
  await using server = await guarded(overHttp, state)
  const sending = server.send(slow)
  await server.upstream.until(({ requests }) => requests.length >= 1)
  const inFlight = { code: "in_flight_elsewhere", outcome: "unknown" }
  for (let call = 0; call < 2; call += 1) {
    expect((await server.send(slow)).error).toMatchObject(inFlight)
  }
  const { release } = block()
  await server.upstream.hurry()
  const { messageIds } = await sending
  // The wait of the outcome for the lock ends, and another follows after a second.
  server.pass("11 seconds")
  expect((await server.send(slow)).error).toMatchObject(inFlight)
  release()
  expect(await settled(server, slow)).toMatchObject({ duplicate: true, messageIds })
  expect(await server.sent()).toBe(1)
})
