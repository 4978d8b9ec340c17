import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { describe, expect, it } from "vitest"
import { openSession, post } from "../harness/mcp/RawHttp.ts"
import {
  callInSession,
  openTestHttpServer,
  type TestHttpServer
} from "../harness/mcp/TestHttpServer.ts"

const maxSessions = 100

/** Whether the session still exists. */
const exists = async (testServer: TestHttpServer, session: string) => {
  const response = await callInSession(testServer.url, session, 1, "echo")
  await response.text()
  return response.status === 200
}

it("a newcomer is never locked out: the session that was used least recently is closed", async () => {
  await using testServer = await openTestHttpServer()
  const [used, unused] = [await openSession(testServer.url), await openSession(testServer.url)]
  const headers = { accept: "text/event-stream", "mcp-session-id": unused }
  const stream = await fetch(testServer.url, { headers })
  expect(await exists(testServer, used)).toBe(true)
  const others = await Promise.all(
    Array.from({ length: maxSessions - 1 }, () => openSession(testServer.url))
  )
  expect(await stream.text()).toBe("")
  expect(await exists(testServer, unused)).toBe(false)
  for (const session of [used, others.at(-1) ?? ""]) {
    expect(await exists(testServer, session)).toBe(true)
  }
})

describe("a call that its client cancels", () => {
  it("ends its response", async () => {
    await using testServer = await openTestHttpServer()
    const session = await openSession(testServer.url)
    const call = await callInSession(testServer.url, session, 1, "hold")
    const hold = await testServer.nextHold()
    const cancelled = { method: "notifications/cancelled", params: { requestId: 1 } }
    const headers = { "mcp-session-id": session }
    await post(testServer.url, { jsonrpc: "2.0", ...cancelled }, { headers })
    await hold.aborted
    expect(await call.text()).not.toContain("result")
    expect(await exists(testServer, session)).toBe(true)
  })

  it("does not lock out the client of the SDK 1.x, which cancels what it gives up", async () => {
    await using testServer = await openTestHttpServer()
    const client = new Client({ name: "older", version: "1.0.0" })
    await client.connect(new StreamableHTTPClientTransport(new URL(testServer.url)))
    for (let each = 0; each < 3; each += 1) {
      const giveUp = new AbortController()
      const call = client.callTool({ name: "hold" }, undefined, { signal: giveUp.signal })
      const hold = await testServer.nextHold()
      giveUp.abort()
      await expect(call).rejects.toThrow("abort")
      await hold.aborted
    }
    await client.close()
  })
})
