import { describe, expect, it } from "vitest"
import {
  callOver,
  messageOf,
  openHttp,
  openSession,
  post,
  type RawHttp
} from "../harness/mcp/RawHttp.ts"
import { callOf, eras, initializeOf, type Message, openStdio } from "../harness/mcp/RawStdio.ts"
import { openSandbox, type RealSandbox, slowRecipient } from "../harness/mcp/RealSandbox.ts"
import type { RunningServer } from "../harness/mcp/RunningServer.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

const slow = { ...sms, recipient: slowRecipient }

/** After a send was cancelled in flight, expects it to be finished and remembered. */
const expectFinished = async (sandbox: RealSandbox, server: RunningServer) => {
  expect(server.written.stderr).not.toContain('"outcome"')
  await sandbox.hurry()
  await server.until("stderr", /"event":"send".*"outcome":"sent"/)
  expect(await sandbox.messages()).toHaveLength(1)
}

const expectKnown = async (sandbox: RealSandbox, response: Message) => {
  expect(response.result).toMatchObject({
    structuredContent: { outcome: "sent", sent_by_this_call: false }
  })
  expect(await sandbox.messages()).toHaveLength(1)
}

describe.each(eras)("over stdio, in the %s era,", (era) => {
  const cancelled = (requestId: number) => ({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId, reason: "the person changed their mind" }
  })

  it("a send that is cancelled in flight is finished, and a repeated call returns its result", async () => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.env })
    await stdio.send(callOf(era, 1, "send_sms", slow))
    await sandbox.until(({ requests }) => requests.length >= 1)
    await stdio.send(cancelled(1))
    // When another call has its result, the cancellation was handled too.
    await stdio.ask(callOf(era, 3, "preview_sms", sms))
    await expectFinished(sandbox, stdio.server)
    await expectKnown(sandbox, await stdio.ask(callOf(era, 2, "send_sms", slow)))
    expect(stdio.messages().filter(({ id }) => id === 1)).toEqual([])
  })

  it("a read that is cancelled is aborted upstream", async () => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.env })
    await sandbox.setFault({ fault: "NoResponse" })
    await stdio.send(callOf(era, 1, "get_sms_status", { message_id: "some" }))
    await sandbox.until(({ requests }) => requests.length >= 1)
    await stdio.send(cancelled(1))
    const { requests } = await sandbox.until((kept) =>
      kept.requests.some(({ disconnected }) => disconnected)
    )
    expect(requests).toContainEqual(expect.objectContaining({ method: "GET", disconnected: true }))
  })

  it("a call that waits for a cancelled send returns its outcome", async () => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.env })
    await stdio.send(callOf(era, 1, "send_sms", slow))
    await sandbox.until(({ requests }) => requests.length >= 1)
    await stdio.send(callOf(era, 2, "send_sms", slow))
    await stdio.ask(callOf(era, 3, "preview_sms", { message: "by now the second one waits" }))
    await stdio.send(cancelled(1))
    await expectFinished(sandbox, stdio.server)
    await expectKnown(sandbox, await stdio.response(2))
  })

  it("a cancelled call that waits for the same send does not affect the send", async () => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.env })
    await stdio.send(callOf(era, 1, "send_sms", slow))
    await sandbox.until(({ requests }) => requests.length >= 1)
    await stdio.send(callOf(era, 2, "send_sms", slow))
    await stdio.ask(callOf(era, 3, "preview_sms", { message: "by now the second one waits" }))
    await stdio.send(cancelled(2))
    // When another call has its result, the cancellation was handled too.
    await stdio.ask(callOf(era, 4, "preview_sms", sms))
    await sandbox.hurry()
    expect((await stdio.response(1)).result).toMatchObject({
      structuredContent: { sent_by_this_call: true }
    })
    expect(await sandbox.messages()).toHaveLength(1)
  })

  it("at the end of stdin, the server waits for a send and exits with 0", async () => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.env })
    await stdio.send(callOf(era, 1, "send_sms", slow))
    await sandbox.until(({ requests }) => requests.length >= 1)
    stdio.server.stdin.end()
    await expectFinished(sandbox, stdio.server)
    expect(await stdio.server.ended).toMatchObject({ code: 0, signal: null })
  })
})

describe("over HTTP,", () => {
  const open = (sandbox: RealSandbox) => openHttp([], { env: sandbox.env })

  const cancel = ({ url }: RawHttp, session: string, requestId: number) =>
    post(
      url,
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } },
      { headers: { "mcp-session-id": session } }
    )

  it("a send of the modern era is finished when its client disconnects", async () => {
    await using sandbox = await openSandbox()
    await using http = await open(sandbox)
    const gone = new AbortController()
    const call = callOver(http.url, "modern", 1, "send_sms", slow, { signal: gone.signal })
    await sandbox.until(({ requests }) => requests.length >= 1)
    gone.abort()
    await expect(call).rejects.toThrow("aborted")
    await expectFinished(sandbox, http.server)
    const again = await callOver(http.url, "modern", 2, "send_sms", slow)
    await expectKnown(sandbox, await messageOf(again))
  })

  it("a read of the modern era is aborted upstream when its client disconnects", async () => {
    await using sandbox = await openSandbox()
    await using http = await open(sandbox)
    await sandbox.setFault({ fault: "NoResponse" })
    const gone = new AbortController()
    const read = callOver(http.url, "modern", 1, "list_data_bundles", {}, { signal: gone.signal })
    await sandbox.until(({ requests }) => requests.length >= 1)
    gone.abort()
    await expect(read).rejects.toThrow("aborted")
    const { requests } = await sandbox.until((kept) =>
      kept.requests.some(({ disconnected }) => disconnected)
    )
    expect(requests).toContainEqual(expect.objectContaining({ method: "GET", disconnected: true }))
  })

  it("a send in a session is finished when it is cancelled", async () => {
    await using sandbox = await openSandbox()
    await using http = await open(sandbox)
    const session = await openSession(http.url)
    const gone = new AbortController()
    await callOver(http.url, "legacy", 1, "send_sms", slow, { session, signal: gone.signal })
    await sandbox.until(({ requests }) => requests.length >= 1)
    expect((await cancel(http, session, 1)).status).toBe(202)
    await expectFinished(sandbox, http.server)
    gone.abort()
    const again = await callOver(http.url, "legacy", 2, "send_sms", slow, { session })
    await expectKnown(sandbox, await messageOf(again))
  })

  it("a send in a session is finished and remembered when its client disconnects", async () => {
    await using sandbox = await openSandbox()
    await using http = await openHttp([], { env: sandbox.env })
    const session = await openSession(http.url)
    const gone = new AbortController()
    await callOver(http.url, "legacy", 1, "send_sms", slow, { session, signal: gone.signal })
    await sandbox.until(({ requests }) => requests.length >= 1)
    gone.abort()
    // When other calls have their responses, the server has noticed the closed connection.
    for (let id = 10; id < 20; id += 1) {
      const response = await callOver(http.url, "legacy", id, "preview_sms", sms, { session })
      await response.text()
    }
    await sandbox.hurry()
    await http.server.until("stderr", /"event":"send".*"outcome":"sent"/)
    const again = await callOver(http.url, "legacy", 2, "send_sms", slow, { session })
    expect((await messageOf(again)).result).toMatchObject({
      structuredContent: { sent_by_this_call: false }
    })
    expect(await sandbox.messages()).toHaveLength(1)
  })

  it("a question whose connection is gone is decided in no other session", async () => {
    await using sandbox = await openSandbox()
    await using http = await open(sandbox)
    const openAsked = async () => {
      const initialize = initializeOf(0)
      const params = { ...initialize.params, capabilities: { elicitation: {} } }
      const response = await post(http.url, { ...initialize, params })
      await response.text()
      return response.headers.get("mcp-session-id") ?? ""
    }
    const [session, other] = [await openAsked(), await openAsked()]
    const gone = new AbortController()
    const call = await callOver(http.url, "legacy", 1, "send_sms", sms, {
      session,
      signal: gone.signal
    })
    const stream = call.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ""
    while (!text.includes("elicitation/create")) text += (await stream?.read())?.value ?? ""
    const { id } = JSON.parse(/^data: (.*elicitation.*)$/m.exec(text)?.[1] ?? "")
    gone.abort()
    const accept = { jsonrpc: "2.0", id, result: { action: "accept", content: {} } }
    await post(http.url, accept, { headers: { "mcp-session-id": other } })
    // When another call has its result, the decision was handled too.
    await (await callOver(http.url, "legacy", 2, "preview_sms", sms, { session: other })).text()
    expect(await sandbox.requests()).toEqual([])
    expect(http.server.written.stderr).not.toContain('"sending"')
  })

  it("a send is finished when its session is closed", async () => {
    await using sandbox = await openSandbox()
    await using http = await open(sandbox)
    const session = await openSession(http.url)
    const call = await callOver(http.url, "legacy", 1, "send_sms", slow, { session })
    await sandbox.until(({ requests }) => requests.length >= 1)
    await fetch(http.url, { method: "DELETE", headers: { "mcp-session-id": session } })
    await expectFinished(sandbox, http.server)
    await call.text()
  })
})
