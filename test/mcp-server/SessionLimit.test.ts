import type { Authenticator } from "@messaging-topup/mcp-server/src/http/auth/Authenticator.ts"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { once } from "node:events"
import * as Http from "node:http"
import { setImmediate } from "node:timers/promises"
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

/** A client that opens sessions and never closes them, on one connection or on a new one for each. */
const leaky = (testServer: TestHttpServer, keepAlive: boolean) => {
  const agent = new Http.Agent({ keepAlive, maxSockets: 1 })
  const headers = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json"
  }
  const open = async () => {
    const request = Http.request(testServer.url, { method: "POST", agent, headers })
    request.end(JSON.stringify(initialize))
    const [response] = (await once(request, "response")) as [Http.IncomingMessage]
    const { socket } = response
    const closed = keepAlive ? undefined : once(socket, "close")
    response.resume()
    await once(response, "end")
    await closed
    // The server notices a closed connection in the next turns of the event loop.
    for (let turn = 0; turn < 5; turn += 1) await setImmediate()
    await testServer.pass("1 second")
    return { status: response.statusCode, id: String(response.headers["mcp-session-id"]) }
  }
  return {
    open,
    openMany: async (count: number) => {
      for (let each = 0; each < count; each += 1) expect((await open()).status).toBe(200)
    },
    [Symbol.dispose]: () => agent.destroy()
  }
}

const listen = (testServer: TestHttpServer, session: string) =>
  fetch(testServer.url, { headers: { accept: "text/event-stream", "mcp-session-id": session } })

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
  it("a principal loses its own longest idle session, and no other principal loses one", async () => {
    await using testServer = await openTestHttpServer({ authenticator, maxSessions: 4 })
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

  it("the principal with the most sessions loses one to a caller with fewer", async () => {
    await using testServer = await openTestHttpServer({ authenticator, maxSessions: 3 })
    const first = await openSession(testServer.url, as("a"))
    await testServer.pass("1 second")
    for (let each = 0; each < 2; each += 1) await openSession(testServer.url, as("a"))
    const other = await openSession(testServer.url, as("b"))
    expect(await exists(testServer, first, as("a"))).toBe(false)
    await openSession(testServer.url, as("c"))
    // All have one each: a fourth caller would take the only session of another.
    const refused = await post(testServer.url, initialize, { headers: as("d") })
    expect(refused.status).toBe(503)
    expect(refused.headers.get("retry-after")).toBe("30")
    expect(await exists(testServer, other, as("b"))).toBe(true)
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
    await using testServer = await openTestHttpServer({ authenticator, maxSessions: 2 })
    const busy = await openSession(testServer.url, as("a"))
    const call = await callInSession(testServer.url, busy, 1, "hold", { headers: as("a") })
    const hold = await testServer.nextHold()
    await testServer.pass("1 hour")
    for (let each = 0; each < 5; each += 1) await openSession(testServer.url, as("a"))
    hold.release("at last")
    expect(await call.text()).toContain("at last")
    expect(await exists(testServer, busy, as("a"))).toBe(true)
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

describe("without authentication, when there are too many sessions", () => {
  it("a client that opens many on one connection closes no session of another client", async () => {
    await using testServer = await openTestHttpServer({ maxSessions: 3 })
    using quiet = leaky(testServer, true)
    const { id } = await quiet.open()
    using greedy = leaky(testServer, true)
    await greedy.openMany(10)
    expect(await exists(testServer, id)).toBe(true)
  })

  it("nor one of a client that is not connected at the moment", async () => {
    await using testServer = await openTestHttpServer({ maxSessions: 3 })
    using away = leaky(testServer, false)
    const { id } = await away.open()
    using greedy = leaky(testServer, true)
    await greedy.openMany(10)
    expect(await exists(testServer, id)).toBe(true)
  })

  it("sessions of disconnected clients are closed before one with an open stream", async () => {
    await using testServer = await openTestHttpServer({ maxSessions: 3 })
    using quiet = leaky(testServer, false)
    const { id } = await quiet.open()
    const stream = await listen(testServer, id)
    using passing = leaky(testServer, false)
    await passing.openMany(10)
    expect(await exists(testServer, id)).toBe(true)
    await stream.body?.cancel()
  })

  it("a newcomer is not locked out by connected clients: the longest idle session is closed", async () => {
    await using testServer = await openTestHttpServer({ maxSessions: 2 })
    using one = leaky(testServer, true)
    using two = leaky(testServer, true)
    const first = await one.open()
    const second = await two.open()
    using late = leaky(testServer, true)
    const third = await late.open()
    expect(third.status).toBe(200)
    expect(await exists(testServer, first.id)).toBe(false)
    expect(await exists(testServer, second.id)).toBe(true)
  })
})
