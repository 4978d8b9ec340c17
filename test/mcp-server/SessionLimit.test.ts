import type { Authenticator } from "@messaging-topup/mcp-server/src/serve/http/auth/Authenticator.ts"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { describe, expect, it } from "vitest"
import { openSession, post } from "./support/RawHttp.ts"
import { initializeOf } from "./support/RawStdio.ts"
import { callInSession, openTestHttpServer, type TestHttpServer } from "./support/TestHttpServer.ts"

const initialize = initializeOf(0)

/** Uses the key as the name of the caller. */
const authenticator: Authenticator = {
  authenticate: (request) => {
    const clientId = request.headers.get("authorization")?.replace("Bearer ", "") ?? ""
    return Promise.resolve({ token: "kept", clientId, scopes: [] })
  },
  document: () => undefined
}

const as = (name: string) => ({ authorization: `Bearer ${name}` })

/** Whether the session still exists. */
const exists = async (testServer: TestHttpServer, session: string, headers = {}) => {
  const response = await callInSession(testServer.url, session, 1, "echo", { headers })
  await response.text()
  return response.status === 200
}

describe("a client that leaves without closing its sessions", () => {
  it.each([
    ["with", { authenticator }],
    ["without", {}]
  ])("can connect again and again, %s authentication", async (_, settings) => {
    await using testServer = await openTestHttpServer({ maxSessions: 3, ...settings })
    for (let time = 0; time < 20; time += 1) {
      const client = new Client({ name: "older", version: "1.0.0" })
      const requestInit = { headers: as("a") }
      await client.connect(
        new StreamableHTTPClientTransport(new URL(testServer.url), { requestInit })
      )
      expect(await client.callTool({ name: "echo", arguments: { text: "hello" } })).toMatchObject({
        content: [{ type: "text", text: "hello" }]
      })
      // This client of the SDK sends no DELETE.
      await client.close()
    }
  })
})

describe("with authentication, when there are too many sessions", () => {
  it("a principal with half of them loses its own longest idle one, and no other principal one", async () => {
    await using testServer = await openTestHttpServer({ authenticator, maxSessions: 6 })
    const other = await openSession(testServer.url, as("b"))
    await testServer.pass("1 second")
    const mine: Array<string> = []
    for (let each = 0; each < 3; each += 1) {
      mine.push(await openSession(testServer.url, as("a")))
      await testServer.pass("1 second")
    }
    const [first = "", second = "", third = ""] = mine
    // The oldest session is no longer the one that has been idle longest.
    expect(await exists(testServer, first, as("a"))).toBe(true)
    const fourth = await openSession(testServer.url, as("a"))
    expect(await exists(testServer, second, as("a"))).toBe(false)
    for (const session of [first, third, fourth]) {
      expect(await exists(testServer, session, as("a"))).toBe(true)
    }
    expect(await exists(testServer, other, as("b"))).toBe(true)
  })

  it("a principal with fewer closes the one that has been idle longest, whoever has it", async () => {
    await using testServer = await openTestHttpServer({ authenticator, maxSessions: 3 })
    const sessions: Array<string> = []
    for (const name of ["b", "a", "a"]) {
      sessions.push(await openSession(testServer.url, as(name)))
      await testServer.pass("1 second")
    }
    const [theirs = "", first = "", second = ""] = sessions
    expect(await exists(testServer, theirs, as("b"))).toBe(true)
    await testServer.pass("1 second")
    await openSession(testServer.url, as("c"))
    expect(await exists(testServer, first, as("a"))).toBe(false)
    expect(await exists(testServer, second, as("a"))).toBe(true)
    expect(await exists(testServer, theirs, as("b"))).toBe(true)
  })

  it("a session with only a silent stream is closed, and the stream ends", async () => {
    await using testServer = await openTestHttpServer({ authenticator, maxSessions: 1 })
    const first = await openSession(testServer.url, as("a"))
    const stream = await fetch(testServer.url, {
      headers: { accept: "text/event-stream", "mcp-session-id": first, ...as("a") }
    })
    const second = await openSession(testServer.url, as("a"))
    expect(await stream.text()).toBe("")
    expect(await exists(testServer, second, as("a"))).toBe(true)
  })

  it("a call in flight keeps its session", async () => {
    await using testServer = await openTestHttpServer({ authenticator, maxSessions: 4 })
    const busy = await openSession(testServer.url, as("a"))
    const call = await callInSession(testServer.url, busy, 1, "hold", { headers: as("a") })
    const hold = await testServer.nextHold()
    await testServer.pass("1 hour")
    for (let each = 0; each < 5; each += 1) await openSession(testServer.url, as("a"))
    hold.release("at last")
    expect(await call.text()).toContain("at last")
    expect(await exists(testServer, busy, as("a"))).toBe(true)
  })

  it("a principal whose sessions are all busy locks out no other one", async () => {
    await using testServer = await openTestHttpServer({ authenticator, maxSessions: 4 })
    const calls: Array<Response> = []
    for (let each = 0; each < 2; each += 1) {
      const session = await openSession(testServer.url, as("a"))
      calls.push(await callInSession(testServer.url, session, 1, "hold", { headers: as("a") }))
    }
    const holds = [await testServer.nextHold(), await testServer.nextHold()]
    expect((await post(testServer.url, initialize, { headers: as("a") })).status).toBe(503)
    const others = [
      await openSession(testServer.url, as("b")),
      await openSession(testServer.url, as("b"))
    ]
    for (const other of others) expect(await exists(testServer, other, as("b"))).toBe(true)
    for (const hold of holds) hold.release("at last")
    for (const call of calls) expect(await call.text()).toContain("at last")
  })

  it("many concurrent callers do not exceed the limit", async () => {
    await using testServer = await openTestHttpServer({ maxSessions: 2 })
    const sessions = await Promise.all([1, 2].map(() => openSession(testServer.url)))
    const calls = await Promise.all(
      sessions.map((session) => callInSession(testServer.url, session, 1, "hold"))
    )
    const holds = [await testServer.nextHold(), await testServer.nextHold()]
    const refused = await Promise.all([1, 2, 3, 4].map(() => post(testServer.url, initialize)))
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503, 503])
    for (const hold of holds) hold.release("done")
    for (const call of calls) await call.text()
    const late = await Promise.all([1, 2, 3, 4].map(() => post(testServer.url, initialize)))
    expect(late.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(2)
    const ids = late.flatMap(({ headers }) => headers.get("mcp-session-id") ?? [])
    const living = await Promise.all([...sessions, ...ids].map((id) => exists(testServer, id)))
    expect(living.filter((each) => each)).toHaveLength(2)
  })
})

it("two calls with one id do not keep their session open", async () => {
  await using testServer = await openTestHttpServer({ maxSessions: 1 })
  const session = await openSession(testServer.url)
  const calls = [
    await callInSession(testServer.url, session, 1, "hold"),
    await callInSession(testServer.url, session, 1, "hold")
  ]
  const holds = [await testServer.nextHold(), await testServer.nextHold()]
  for (const hold of holds) hold.release("done")
  for (const call of calls) await call.text()
  expect((await post(testServer.url, initialize)).status).toBe(200)
})

describe("a call that its client cancels", () => {
  const cancelled = (requestId: number) => ({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId }
  })

  it("ends its response, and no longer keeps its session open", async () => {
    await using testServer = await openTestHttpServer({ maxSessions: 2 })
    for (let each = 0; each < 4; each += 1) {
      const session = await openSession(testServer.url)
      const call = await callInSession(testServer.url, session, 1, "hold")
      const hold = await testServer.nextHold()
      await post(testServer.url, cancelled(1), { headers: { "mcp-session-id": session } })
      await hold.aborted
      expect(await call.text()).not.toContain("result")
      await testServer.pass("1 second")
    }
  })

  it("does not end the response to another call of the same body", async () => {
    await using testServer = await openTestHttpServer()
    const session = await openSession(testServer.url)
    const call = (id: number) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "hold", arguments: {} }
    })
    const headers = { "mcp-session-id": session }
    const both = await post(testServer.url, [call(1), call(2)], { headers })
    const first = await testServer.nextHold()
    const second = await testServer.nextHold()
    await post(testServer.url, cancelled(1), { headers })
    await first.aborted
    second.release("at last")
    expect(await both.text()).toContain("at last")
  })

  it("does not lock out the client of the SDK 1.x, which cancels what it gives up", async () => {
    await using testServer = await openTestHttpServer({ maxSessions: 1 })
    for (let each = 0; each < 3; each += 1) {
      const client = new Client({ name: "older", version: "1.0.0" })
      await client.connect(new StreamableHTTPClientTransport(new URL(testServer.url)))
      const giveUp = new AbortController()
      const call = client.callTool({ name: "hold" }, undefined, { signal: giveUp.signal })
      const hold = await testServer.nextHold()
      giveUp.abort()
      await expect(call).rejects.toThrow("abort")
      await hold.aborted
      await testServer.pass("1 second")
    }
  })
})

describe("without authentication, when there are too many sessions", () => {
  it("a newcomer is not locked out: the longest idle session is closed", async () => {
    await using testServer = await openTestHttpServer({ maxSessions: 2 })
    const first = await openSession(testServer.url)
    await testServer.pass("1 second")
    const second = await openSession(testServer.url)
    await testServer.pass("1 second")
    const third = await openSession(testServer.url)
    expect(await exists(testServer, first)).toBe(false)
    expect(await exists(testServer, second)).toBe(true)
    expect(await exists(testServer, third)).toBe(true)
  })
})
