import { Fault } from "@messaging-topup/sandbox"
import { describe, expect, it } from "vitest"
import {
  callOver,
  messageOf,
  openHttp,
  openSession,
  post,
  type RawHttp
} from "./support/RawHttp.ts"
import { callOf, eras, type Message, openStdio } from "./support/RawStdio.ts"
import { openSandbox, type RealSandbox, slowRecipient } from "./support/RealSandbox.ts"
import type { RunningServer } from "./support/RunningServer.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

/** The service takes the SMS and does not respond. */
const silence = Fault.NoResponse({ accept: true })

/** What must have happened once a send was given up. */
const expectAborted = async (sandbox: RealSandbox, server: RunningServer) => {
  expect(await sandbox.nextDisconnect()).toMatchObject({ url: "/sms/send", disconnected: true })
  await server.until("stderr", /"event":"send".*"outcome":"unknown"/)
  expect(await sandbox.accepted()).toHaveLength(1)
  await sandbox.clearFault()
}

const expectUnknown = (response: Message) =>
  expect(response.result).toMatchObject({
    isError: true,
    _meta: { "messaging-topup/error": { code: "unknown_not_resent", send_outcome: "unknown" } }
  })

const expectNotResent = async (sandbox: RealSandbox, response: Message) => {
  expectUnknown(response)
  expect(await sandbox.accepted()).toHaveLength(1)
}

describe.each(eras)("over stdio, in the %s era,", (era) => {
  const cancelled = (requestId: number) => ({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId, reason: "the person changed their mind" }
  })

  it("a send that is cancelled is aborted upstream, is unknown, and is not sent again", async () => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.env })
    await sandbox.setFault(silence)
    await stdio.send(callOf(era, 1, "send_sms", sms))
    await sandbox.awaitReceived(1)
    await stdio.send(cancelled(1))
    await expectAborted(sandbox, stdio.server)
    await expectNotResent(sandbox, await stdio.ask(callOf(era, 2, "send_sms", sms)))
    expect(stdio.messages().filter(({ id }) => id === 1)).toEqual([])
  })

  it("a read that is cancelled is aborted upstream", async () => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.env })
    await sandbox.setFault(Fault.NoResponse({}))
    await stdio.send(callOf(era, 1, "get_sms_status", { message_id: "some" }))
    await sandbox.awaitReceived(1)
    await stdio.send(cancelled(1))
    expect(await sandbox.nextDisconnect()).toMatchObject({ method: "GET" })
  })

  it("a cancellation of another request leaves a send alone", async () => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.env })
    await stdio.send(callOf(era, 1, "send_sms", { ...sms, recipient: slowRecipient }))
    await sandbox.awaitReceived(1)
    await stdio.send(cancelled(2))
    // By the time that another call is through, the cancellation is as well.
    await stdio.ask(callOf(era, 4, "preview_sms", sms))
    await sandbox.hurry()
    expect((await stdio.response(1)).result).toMatchObject({
      structuredContent: { duplicate: false }
    })
  })

  it("a call that waits for the same send is told that its outcome is unknown", async () => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.env })
    await sandbox.setFault(silence)
    await stdio.send(callOf(era, 1, "send_sms", sms))
    await sandbox.awaitReceived(1)
    await stdio.send(callOf(era, 2, "send_sms", sms))
    await stdio.ask(callOf(era, 3, "preview_sms", { message: "by now the second one waits" }))
    await stdio.send(cancelled(1))
    await expectAborted(sandbox, stdio.server)
    await expectNotResent(sandbox, await stdio.response(2))
  })

  it("a call that waits for the same send and is cancelled leaves the send alone", async () => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.env })
    const slow = { ...sms, recipient: slowRecipient }
    await stdio.send(callOf(era, 1, "send_sms", slow))
    await sandbox.awaitReceived(1)
    await stdio.send(callOf(era, 2, "send_sms", slow))
    await stdio.ask(callOf(era, 3, "preview_sms", { message: "by now the second one waits" }))
    await stdio.send(cancelled(2))
    // By the time that another call is through, the cancellation is as well.
    await stdio.ask(callOf(era, 4, "preview_sms", sms))
    await sandbox.hurry()
    expect((await stdio.response(1)).result).toMatchObject({
      structuredContent: { duplicate: false }
    })
    expect(await sandbox.accepted()).toHaveLength(1)
  })

  it("a send that is cancelled at once goes out once or not at all, however often it is called", async () => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.env })
    await stdio.send(callOf(era, 1, "send_sms", sms), cancelled(1))
    const again = await stdio.ask(callOf(era, 2, "send_sms", sms))
    const accepted = await sandbox.accepted()
    expect(accepted.length).toBeLessThanOrEqual(1)
    if (again.result?.["isError"] === true) expectUnknown(again)
    else expect(accepted).toHaveLength(1)
  })

  it("the end of stdin aborts a send, writes it down as unknown, and ends the server with 0", async () => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.env })
    await sandbox.setFault(silence)
    await stdio.send(callOf(era, 1, "send_sms", sms))
    await sandbox.awaitReceived(1)
    stdio.server.stdin.end()
    await expectAborted(sandbox, stdio.server)
    expect(await stdio.server.ended).toMatchObject({ code: 0, signal: null })
  })
})

describe("over HTTP,", () => {
  const open = async (sandbox: RealSandbox) => {
    await sandbox.setFault(silence)
    return openHttp([], { env: sandbox.env })
  }

  const cancel = ({ url }: RawHttp, session: string, requestId: number) =>
    post(
      url,
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } },
      { headers: { "mcp-session-id": session } }
    )

  it("a send of the modern era is aborted upstream when its client disconnects", async () => {
    await using sandbox = await openSandbox()
    await using http = await open(sandbox)
    const gone = new AbortController()
    const call = callOver(http.url, "modern", 1, "send_sms", sms, { signal: gone.signal })
    await sandbox.awaitReceived(1)
    gone.abort()
    await expect(call).rejects.toThrow("aborted")
    await expectAborted(sandbox, http.server)
    const again = await callOver(http.url, "modern", 2, "send_sms", sms)
    await expectNotResent(sandbox, await messageOf(again))
  })

  it("a read of the modern era is aborted upstream when its client disconnects", async () => {
    await using sandbox = await openSandbox()
    await using http = await open(sandbox)
    const gone = new AbortController()
    const read = callOver(http.url, "modern", 1, "list_data_bundles", {}, { signal: gone.signal })
    await sandbox.awaitReceived(1)
    gone.abort()
    await expect(read).rejects.toThrow("aborted")
    expect(await sandbox.nextDisconnect()).toMatchObject({ method: "GET" })
  })

  it("a send in a session is aborted upstream when it is cancelled", async () => {
    await using sandbox = await openSandbox()
    await using http = await open(sandbox)
    const session = await openSession(http.url)
    const gone = new AbortController()
    await callOver(http.url, "legacy", 1, "send_sms", sms, { session, signal: gone.signal })
    await sandbox.awaitReceived(1)
    expect((await cancel(http, session, 1)).status).toBe(202)
    await expectAborted(sandbox, http.server)
    gone.abort()
    const again = await callOver(http.url, "legacy", 2, "send_sms", sms, { session })
    await expectNotResent(sandbox, await messageOf(again))
  })

  it("a send in a session outlives its connection, and can still be cancelled", async () => {
    await using sandbox = await openSandbox()
    await using http = await open(sandbox)
    const session = await openSession(http.url)
    const gone = new AbortController()
    await callOver(http.url, "legacy", 1, "send_sms", sms, { session, signal: gone.signal })
    await sandbox.awaitReceived(1)
    gone.abort()
    // By the time that others have their responses, the server has seen the connection close.
    for (let id = 10; id < 20; id += 1) {
      const response = await callOver(http.url, "legacy", id, "preview_sms", sms, { session })
      await response.text()
    }
    expect(http.server.written.stderr).not.toContain('"outcome"')
    await cancel(http, session, 1)
    await expectAborted(sandbox, http.server)
  })

  it("a send in a session goes out although its client disconnects, and is remembered", async () => {
    await using sandbox = await openSandbox()
    await using http = await openHttp([], { env: sandbox.env })
    const slow = { ...sms, recipient: slowRecipient }
    const session = await openSession(http.url)
    const gone = new AbortController()
    await callOver(http.url, "legacy", 1, "send_sms", slow, { session, signal: gone.signal })
    await sandbox.awaitReceived(1)
    gone.abort()
    // By the time that others have their responses, the server has seen the connection close.
    for (let id = 10; id < 20; id += 1) {
      const response = await callOver(http.url, "legacy", id, "preview_sms", sms, { session })
      await response.text()
    }
    await sandbox.hurry()
    await http.server.until("stderr", /"event":"send".*"outcome":"sent"/)
    const again = await callOver(http.url, "legacy", 2, "send_sms", slow, { session })
    expect((await messageOf(again)).result).toMatchObject({
      structuredContent: { duplicate: true }
    })
    expect(await sandbox.accepted()).toHaveLength(1)
  })

  it("the end of a session aborts what runs in it", async () => {
    await using sandbox = await openSandbox()
    await using http = await open(sandbox)
    const session = await openSession(http.url)
    const call = await callOver(http.url, "legacy", 1, "send_sms", sms, { session })
    await sandbox.awaitReceived(1)
    await fetch(http.url, { method: "DELETE", headers: { "mcp-session-id": session } })
    await expectAborted(sandbox, http.server)
    await call.text()
  })
})
