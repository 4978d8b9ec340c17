import { describe, expect, it } from "vitest"
import { approve, connect, startGuarded } from "../harness/mcp/GuardedServer.ts"
import { callOver, messageOf, openHttp, openSession, post } from "../harness/mcp/RawHttp.ts"
import {
  callOf,
  type Era,
  eras,
  initializeOf,
  type Message,
  openStdio
} from "../harness/mcp/RawStdio.ts"
import { openSandbox, type RealSandbox, slowRecipient } from "../harness/mcp/RealSandbox.ts"
import type { RunningServer } from "../harness/mcp/Server.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

const slow = { ...sms, recipient: slowRecipient }

const cancelled = (requestId: number) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId, reason: "the person changed their mind" }
})

interface Caller extends AsyncDisposable {
  readonly server: RunningServer
  /** Sends the call that the client gives up. */
  readonly begin: (tool: string, args: object) => Promise<unknown>
  /** Gives it up, and waits until the server has noticed it. */
  readonly giveUp: () => Promise<unknown>
  readonly again: () => Promise<Message>
  /** That the call has no result. */
  readonly expectNothing: () => unknown
}

const overStdio = (era: Era) => async (sandbox: RealSandbox) => {
  const stdio = await openStdio(era, [], { env: sandbox.unasked })
  const caller: Caller = {
    server: stdio.server,
    begin: (tool, args) => stdio.send(callOf(era, 1, tool, args)),
    giveUp: async () => {
      await stdio.send(cancelled(1))
      await stdio.ask(callOf(era, 3, "preview_sms", sms))
    },
    again: () => stdio.ask(callOf(era, 2, "send_sms", slow)),
    expectNothing: () => expect(stdio.messages().filter(({ id }) => id === 1)).toEqual([]),
    [Symbol.asyncDispose]: () => stdio[Symbol.asyncDispose]()
  }
  return caller
}

type How = "disconnects" | "cancels" | "ends its session"

const overHttp = (era: Era, how: How) => async (sandbox: RealSandbox) => {
  const http = await openHttp([], { env: sandbox.unasked })
  const session = era === "legacy" ? await openSession(http.url) : ""
  const headers = { "mcp-session-id": session }
  const gone = new AbortController()
  let call: Promise<string> = Promise.resolve("")
  const caller: Caller = {
    server: http.server,
    begin: (tool, args) => {
      const options = { session, signal: gone.signal }
      call = callOver(http.url, era, 1, tool, args, options).then((response) => response.text())
      // Not awaited before it is given up.
      call.catch(() => "gone")
      return Promise.resolve()
    },
    giveUp: async () => {
      if (how === "cancels") await post(http.url, cancelled(1), { headers })
      else if (how === "ends its session") await fetch(http.url, { method: "DELETE", headers })
      else gone.abort()
      // When other calls have their responses, the server has noticed a closed connection.
      for (let id = 10; id < 20; id += 1) {
        await (await callOver(http.url, "modern", id, "preview_sms", sms)).text()
      }
    },
    again: async () => messageOf(await callOver(http.url, "modern", 2, "send_sms", slow)),
    expectNothing: () =>
      how === "disconnects"
        ? expect(call).rejects.toThrow("aborted")
        : expect(call).resolves.not.toContain("result"),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose]()
  }
  return caller
}

const callers: Readonly<Record<string, (sandbox: RealSandbox) => Promise<Caller>>> = {
  "over stdio cancels, modern": overStdio("modern"),
  "over stdio cancels, legacy": overStdio("legacy"),
  "over HTTP disconnects": overHttp("modern", "disconnects"),
  "in a session disconnects": overHttp("legacy", "disconnects"),
  "in a session cancels": overHttp("legacy", "cancels"),
  "ends its session": overHttp("legacy", "ends its session")
}

const isKnown = { structuredContent: { outcome: "sent", sent_by_this_call: false } }

describe.each(Object.entries(callers))("a client that %s", (_, open) => {
  it("during a send: it is finished, and a repeated call returns its result", async () => {
    await using sandbox = await openSandbox()
    await using caller = await open(sandbox)
    await caller.begin("send_sms", slow)
    await sandbox.until(({ requests }) => requests.length >= 1)
    await caller.giveUp()
    expect(caller.server.written.stderr).not.toContain('"outcome"')
    await sandbox.hurry()
    await caller.server.until("stderr", /"event":"send".*"outcome":"sent"/)
    expect((await caller.again()).result).toMatchObject(isKnown)
    expect(await sandbox.messages()).toHaveLength(1)
    await caller.expectNothing()
  })
})

// In a session, the SDK goes on when only the connection is gone.
const { "in a session disconnects": _goesOn, ...aborting } = callers

describe.each(Object.entries(aborting))("a client that %s", (_, open) => {
  it("during a read: the read is aborted upstream", async () => {
    await using sandbox = await openSandbox()
    await using caller = await open(sandbox)
    await sandbox.setFault({ fault: "NoResponse" })
    await caller.begin("get_sms_status", { message_id: "some" })
    await sandbox.until(({ requests }) => requests.length >= 1)
    await caller.giveUp()
    const { requests } = await sandbox.until((kept) =>
      kept.requests.some(({ disconnected }) => disconnected)
    )
    expect(requests).toContainEqual(expect.objectContaining({ method: "GET", disconnected: true }))
  })
})

describe.each(eras)("over stdio, in the %s era,", (era) => {
  it("a cancelled send goes on: the same call says that it is in flight, and then that it was sent", async () => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.unasked })
    await stdio.send(callOf(era, 1, "send_sms", slow))
    await sandbox.until(({ requests }) => requests.length >= 1)
    await stdio.send(cancelled(1))
    expect((await stdio.ask(callOf(era, 2, "send_sms", slow))).result).toMatchObject({
      structuredContent: { code: "in_flight_elsewhere", outcome: "unknown" }
    })
    await sandbox.hurry()
    await stdio.server.until("stderr", /"event":"send".*"outcome":"sent"/)
    expect((await stdio.ask(callOf(era, 3, "send_sms", slow))).result).toMatchObject({
      structuredContent: { outcome: "sent", sent_by_this_call: false }
    })
    expect(await sandbox.messages()).toHaveLength(1)
  })

  it("at the end of stdin, the server waits for a send and exits with 0", async () => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.unasked })
    await stdio.send(callOf(era, 1, "send_sms", slow))
    await sandbox.until(({ requests }) => requests.length >= 1)
    stdio.server.stdin.end()
    await sandbox.hurry()
    expect(await stdio.server.ended).toMatchObject({
      code: 0,
      signal: null,
      stderr: expect.stringMatching(/"event":"send".*"outcome":"sent"/)
    })
    expect(await sandbox.messages()).toHaveLength(1)
  })
})

it.each(["stdio", "http"] as const)(
  "a call whose question is open when the server stops ends as one that sent nothing: %s",
  async (over) => {
    await using sandbox = await openSandbox()
    await using guarded = await startGuarded(over, [], sandbox.env)
    const asked = Promise.withResolvers<void>()
    const { promise: decision } = Promise.withResolvers<unknown>()
    const person = () => {
      asked.resolve()
      return decision
    }
    await using connection = await connect("legacy", guarded.open(), { person })
    const call = connection.send(sms)
    await asked.promise
    guarded.server.stop()
    expect((await call).error).toMatchObject({ code: "stopping", outcome: "not-sent" })
    const { code, stderr } = await guarded.server.ended
    expect(code).toBe(0)
    expect(stderr).toMatch(/"event":"send refused".*"code":"stopping"/)
    expect(await sandbox.requests()).toEqual([])
  }
)

it("a question whose connection is gone is decided in no other session", async () => {
  await using sandbox = await openSandbox()
  await using http = await openHttp([], { env: sandbox.env })
  const openAsked = async () => {
    const initialize = initializeOf(0)
    const params = { ...initialize.params, capabilities: { elicitation: {} } }
    const response = await post(http.url, { ...initialize, params })
    await response.text()
    return response.headers.get("mcp-session-id") ?? ""
  }
  const [session, other] = [await openAsked(), await openAsked()]
  const gone = new AbortController()
  const options = { session, signal: gone.signal }
  const call = await callOver(http.url, "legacy", 1, "send_sms", sms, options)
  const stream = call.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  while (!text.includes("elicitation/create")) text += (await stream?.read())?.value ?? ""
  const { id } = JSON.parse(/^data: (.*elicitation.*)$/m.exec(text)?.[1] ?? "")
  gone.abort()
  const accept = { jsonrpc: "2.0", id, result: approve }
  await post(http.url, accept, { headers: { "mcp-session-id": other } })
  // When another call has its result, the decision was handled too.
  await (await callOver(http.url, "legacy", 2, "preview_sms", sms, { session: other })).text()
  expect(await sandbox.requests()).toEqual([])
  expect(http.server.written.stderr).not.toContain('"sending"')
})
