import * as Authenticator from "@messaging-topup/mcp-server/src/serve/http/Authenticator.ts"
import { parse as parseKeys } from "@messaging-topup/mcp-server/src/serve/http/Keys.ts"
import * as Sessions from "@messaging-topup/mcp-server/src/serve/http/Sessions.ts"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { once } from "node:events"
import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import {
  connectTo,
  exchange,
  jsonHeaders,
  messageOf,
  openHttp,
  openSession,
  post,
  requestText
} from "../harness/mcp/RawHttp.ts"
import { callOf, initializeOf } from "../harness/mcp/RawStdio.ts"
import {
  callInSession,
  callModern,
  openTestHttpServer,
  type TestHttpServer
} from "../harness/mcp/TestHttpServer.ts"

const initialize = initializeOf(0)

const text = (value: string) => [{ type: "text", text: value }]

const expectEcho = async (testServer: TestHttpServer) =>
  expect(
    await messageOf(await callModern(testServer.url, "echo", { text: "hello" }))
  ).toMatchObject({
    result: { content: text("hello") }
  })

describe("bodies", () => {
  it("that are too long receive a response while the client still writes, and the connection stays", async () => {
    await using testServer = await openTestHttpServer()
    const socket = await connectTo(testServer.url)
    let received = ""
    socket.on("data", (data) => (received += data.toString()))
    const heard = (words: string) => expect.poll(() => received).toContain(words)
    const chunk = (size: number) => `${size.toString(16)}\r\n${"x".repeat(size)}\r\n`
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${chunk(70_000)}`
    )
    await heard("HTTP/1.1 413")
    socket.write(`${chunk(1_000_000)}0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await heard('{"status":"ok"}')
    expect(received).toContain("HTTP/1.1 200 OK")
    socket.destroy()
  })

  it("that are too long are refused with the id of their request, where it comes first", async () => {
    await using testServer = await openTestHttpServer()
    const long = callOf("modern", "a-1", "echo", { text: "x".repeat(65_536) })
    const { id: _id, method, ...others } = long
    const notification = { method, ...others }
    const of = async (body: unknown) => {
      const response = await post(testServer.url, body)
      return [response.status, await response.json()]
    }
    const refusal = (id: unknown) => [
      413,
      {
        jsonrpc: "2.0",
        id,
        error: {
          code: -32000,
          message:
            "Nothing was sent: a request has at most 65536 bytes here. Send fewer SMS in one call."
        }
      }
    ]
    expect(await of(long)).toEqual(refusal("a-1"))
    expect(await of({ method, id: 7, ...others })).toEqual(refusal(7))
    for (const unread of [
      notification,
      { ...notification, id: 7 },
      [long],
      { ...long, id: "x".repeat(200) }
    ]) {
      expect(await of(unread)).toEqual(refusal(null))
    }
    const fits = callOf("modern", 1, "echo", { text: "x".repeat(65_000) })
    expect((await of(fits))[0]).not.toBe(413)
  })

  it("and headers are never in the log", async () => {
    await using http = await openHttp()
    const secret = "s3cr3t"
    // Less than any revision: the request is one of a session, and the SDK's error repeats it.
    const version = `1 ${secret}`
    const headers = { "mcp-protocol-version": version, "mcp-name": secret, "mcp-method": secret }
    const session = await openSession(http.url)
    const call = callOf("legacy", 1, secret, { message: secret })
    for (const body of [`{${secret}`, [secret], initialize, call]) {
      await post(http.url, body, { headers })
      await post(http.url, body, { headers: { ...headers, "mcp-session-id": session } })
    }
    http.server.stop()
    const { stderr } = await http.server.ended
    expect(stderr).toContain('"event":"protocol error"')
    expect(stderr).not.toContain(secret)
  })
})

const keys: Readonly<Record<string, object>> = {
  "Bearer a": { clientId: "a" },
  "Bearer b": { clientId: "b" },
  "Bearer c": { clientId: "same", extra: { caller: "c" } },
  "Bearer d": { clientId: "same", extra: { caller: "d" } }
}

const authenticator: Authenticator.Authenticator = {
  hasSeveralCallers: true,
  authenticate: (authorization = "") => {
    const who = keys[authorization]
    return Promise.resolve(
      who === undefined
        ? new Response(null, { status: 401 })
        : { token: "kept", clientId: "", scopes: [], ...who }
    )
  },
  document: (path) => (path === "/.well-known/thing" ? Response.json({ thing: true }) : undefined)
}

/** Responds when the test resolves `known`. */
const slowAuthenticator = () => {
  const asked = Promise.withResolvers<void>()
  const known = Promise.withResolvers<void>()
  const slow: Authenticator.Authenticator = {
    ...authenticator,
    authenticate: async (authorization) => {
      asked.resolve()
      await known.promise
      return authenticator.authenticate(authorization)
    }
  }
  return { asked, known, slow }
}

/** Opens the stream of a session. */
const listen = (
  url: string,
  session: string,
  signal: AbortSignal | null = null,
  headers: Readonly<Record<string, string>> = {}
) =>
  fetch(url, {
    headers: { ...headers, accept: "text/event-stream", "mcp-session-id": session },
    signal
  })

const as = (key: string) => ({ authorization: `Bearer ${key}` })

describe("an authenticator", () => {
  it("refuses requests to the endpoint only", async () => {
    await using testServer = await openTestHttpServer({ authenticator })
    expect((await post(testServer.url, initialize)).status).toBe(401)
    expect((await callModern(testServer.url, "echo", { text: "hello" })).status).toBe(401)
    expect((await fetch(new URL("/healthz", testServer.url))).status).toBe(200)
    expect(await (await fetch(new URL("/.well-known/thing", testServer.url))).json()).toEqual({
      thing: true
    })
  })

  it("refuses two Authorization headers, even if each alone is valid", async () => {
    const one = "one-4dZk3fTq8wYx2LmN7pRs9vBc1hJg6aQe"
    const two = "two-9vBc1hJg6aQe4dZk3fTq8wYx2LmN7pRs"
    const keysOfBoth = Result.getOrThrow(parseKeys(`one:${one},two:${two}`))
    const ofKeys = await Effect.runPromise(Authenticator.make({ keys: keysOfBoth, scopes: [] }))
    await using testServer = await openTestHttpServer({ authenticator: ofKeys })
    const body = JSON.stringify(initialize)
    const status = async (...authorizations: ReadonlyArray<string>) => {
      const head = requestText("POST", "/mcp", {
        ...jsonHeaders,
        "content-length": `${body.length}`
      })
      const repeated = authorizations.map((key) => `authorization: Bearer ${key}\r\n`)
      const response = await exchange(
        testServer.url,
        head.replace("\r\n", `\r\n${repeated.join("")}`) + body
      )
      return Number(response.split(" ")[1])
    }
    expect(await status(one)).toBe(200)
    expect(await status(two)).toBe(200)
    expect(await status(one, two)).toBe(401)
    expect(await status(one, one)).toBe(401)
    expect(await status("none", one)).toBe(401)
  })

  it("passes the caller to tools, without the credentials", async () => {
    await using testServer = await openTestHttpServer({ authenticator })
    const headers = { ...as("a"), cookie: "a=b" }
    const modern = await messageOf(await callModern(testServer.url, "seen", {}, { headers }))
    const session = await openSession(testServer.url, headers)
    const older = await messageOf(
      await callInSession(testServer.url, session, 1, "seen", { headers })
    )
    for (const message of [modern, older]) {
      const said = JSON.stringify(message)
      expect(said).toContain('\\"clientId\\":\\"a\\"')
      expect(said).toContain("user-agent")
      expect(said).not.toMatch(/authorization|cookie/)
    }
  })

  it("that throws causes 500, and the server continues", async () => {
    const broken: Authenticator.Authenticator = {
      ...authenticator,
      authenticate: () => Promise.reject(new Error("no keys"))
    }
    await using testServer = await openTestHttpServer({ authenticator: broken })
    expect((await post(testServer.url, initialize)).status).toBe(500)
    expect((await callModern(testServer.url, "echo")).status).toBe(500)
    expect(testServer.errors).toHaveLength(2)
  })
})

describe("a session", () => {
  it.each([
    ["a", "b"],
    ["c", "d"]
  ])("belongs to the caller that opened it, and may end it: %s, not %s", async (owner, other) => {
    await using testServer = await openTestHttpServer({ authenticator })
    const session = await openSession(testServer.url, as(owner))
    const stolen = await callInSession(testServer.url, session, 1, "echo", { headers: as(other) })
    expect(stolen.status).toBe(404)
    const ended = await fetch(testServer.url, {
      method: "DELETE",
      headers: { ...as(other), "mcp-session-id": session }
    })
    expect(ended.status).toBe(404)
    const mine = () => callInSession(testServer.url, session, 1, "echo", { headers: as(owner) })
    expect(await messageOf(await mine())).toMatchObject({ result: { content: text("hello") } })
    await fetch(testServer.url, {
      method: "DELETE",
      headers: { ...as(owner), "mcp-session-id": session }
    })
    expect((await mine()).status).toBe(404)
  })

  it("accepts a client's new stream as soon as the old one is closed", async () => {
    await using testServer = await openTestHttpServer()
    const session = await openSession(testServer.url)
    const gone = new AbortController()
    expect((await listen(testServer.url, session, gone.signal)).status).toBe(200)
    expect((await listen(testServer.url, session)).status).toBe(409)
    gone.abort()
    let status = 409
    for (let tries = 0; tries < 1000 && status === 409; tries += 1) {
      status = (await listen(testServer.url, session)).status
    }
    expect(status).toBe(200)
  })
})

describe("a call", () => {
  it.each(["throws", "rejects"])("receives 500 if the factory %s", async (how) => {
    let broken = true
    await using testServer = await openTestHttpServer({
      factory: (usual) => (context) => {
        if (!broken) return usual(context)
        if (how === "throws") throw new Error("no server")
        return Promise.reject(new Error("no server"))
      }
    })
    expect((await callModern(testServer.url, "echo")).status).toBe(500)
    expect((await post(testServer.url, initialize)).status).toBe(500)
    expect(testServer.errors).toHaveLength(2)
    broken = false
    await expectEcho(testServer)
    await openSession(testServer.url)
  })
})

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await setImmediate()
}

describe("shutdown", () => {
  const openDrain = () => Effect.runSync(Deferred.make<void>())
  const complete = (drain: Deferred.Deferred<void>) =>
    Effect.runSync(Deferred.succeed(drain, undefined))
  const health = (testServer: TestHttpServer) => fetch(new URL("/healthz", testServer.url))

  /** Waits until the server responds that it is stopping. */
  const stopping = async (testServer: TestHttpServer) => {
    for (let tries = 0; tries < 1000; tries += 1) {
      const response = await health(testServer)
      if (response.status === 503) return response.json()
      await response.text()
    }
    throw new Error("the testServer does not stop")
  }

  it.each(["modern", "session"])(
    "sends the response of a send that ends in time, and accepts no new send: %s",
    async (era) => {
      const drain = openDrain()
      await using testServer = await openTestHttpServer({ shutdown: Deferred.await(drain) })
      const session = await openSession(testServer.url)
      const call =
        era === "modern"
          ? callModern(testServer.url, "hold")
          : callInSession(testServer.url, session, 1, "hold")
      const hold = await testServer.nextHold()
      const stopped = testServer.stop()
      // Far longer than a shutdown that waits for nothing takes.
      await turns(300)
      expect(await stopping(testServer)).toEqual({ status: "stopping" })
      const late = await callModern(testServer.url, "echo", { text: "late" })
      expect(late.status).toBe(503)
      expect(late.headers.get("retry-after")).toBe("5")
      complete(drain)
      // After the send, the tool must still write its response.
      await turns(5)
      hold.release("sent")
      expect(await messageOf(await call)).toMatchObject({ result: { content: text("sent") } })
      await stopped
      await expect(health(testServer)).rejects.toThrow("fetch failed")
    }
  )

  it("waits for a send that begins late, because its call was accepted before", async () => {
    const drain = openDrain()
    const entered = Promise.withResolvers<void>()
    let sends = 0
    await using testServer = await openTestHttpServer({
      shutdown: Effect.suspend(() => (sends > 0 ? Deferred.await(drain) : Effect.void)),
      factory: (usual) => async (context) => {
        entered.resolve()
        await turns(10)
        sends += 1
        return usual(context)
      }
    })
    const call = callModern(testServer.url, "hold")
    await entered.promise
    const stopped = testServer.stop()
    const hold = await testServer.nextHold()
    await turns(300)
    hold.release("sent")
    complete(drain)
    expect(await messageOf(await call)).toMatchObject({ result: { content: text("sent") } })
    await stopped
  })

  it("refuses a call that was still being authenticated", async () => {
    const drain = openDrain()
    const { asked, known, slow } = slowAuthenticator()
    await using testServer = await openTestHttpServer({
      shutdown: Deferred.await(drain),
      authenticator: slow
    })
    const call = callModern(testServer.url, "echo", { text: "late" }, { headers: as("a") })
    await asked.promise
    const stopped = testServer.stop()
    await stopping(testServer)
    known.resolve()
    expect((await call).status).toBe(503)
    complete(drain)
    await stopped
  })

  it("does not wait for the body of a caller that left while it was authenticated", async () => {
    const { asked, known, slow } = slowAuthenticator()
    await using testServer = await openTestHttpServer({ authenticator: slow })
    const socket = await connectTo(testServer.url)
    socket.write(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a\r\nContent-Length: 9\r\n\r\n{"
    )
    await asked.promise
    socket.destroy()
    await once(socket, "close")
    known.resolve()
    await expect.poll(() => testServer.errors).toHaveLength(1)
  })

  it("does not wait for a call longer than for its send", async () => {
    await using testServer = await openTestHttpServer()
    const call = callModern(testServer.url, "hold")
    const hold = await testServer.nextHold()
    await testServer.stop()
    await hold.aborted
    const response = await call
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining("before the response") }
    })
  })

  it("ends streams, sessions and questions that wait for a person", async () => {
    await using testServer = await openTestHttpServer()
    const session = await openSession(testServer.url)
    const stream = await listen(testServer.url, session)
    const call = await callInSession(testServer.url, session, 1, "hold")
    const hold = await testServer.nextHold()
    await testServer.stop()
    await hold.aborted
    expect(await stream.text()).toBe("")
    expect(await call.text()).toBe("")
  })
})

/** Far fewer than usual: the rule is the same. */
const maxSessions = { ofAll: 20, ofCaller: 4 }

/** Whether the session still exists. */
const exists = async (testServer: TestHttpServer, session: string, key = "a") => {
  const response = await callInSession(testServer.url, session, 1, "echo", { headers: as(key) })
  await response.text()
  return response.status === 200
}

/** Opens sessions of a caller, one after the other. */
const openMany = async (testServer: TestHttpServer, count: number, key = "a") => {
  const opened: Array<string> = []
  while (opened.length < count) opened.push(await openSession(testServer.url, as(key)))
  return opened
}

describe("of too many sessions", () => {
  it("those of the caller close that were used least recently, and nobody else's", async () => {
    await using testServer = await openTestHttpServer({ authenticator, maxSessions })
    const [other = ""] = await openMany(testServer, 1, "b")
    const [used = "", unused = ""] = await openMany(testServer, 2)
    const stream = await listen(testServer.url, unused, null, as("a"))
    expect(await exists(testServer, used)).toBe(true)
    const others = await openMany(testServer, maxSessions.ofCaller - 1)
    expect(await stream.text()).toBe("")
    expect(await exists(testServer, unused)).toBe(false)
    for (const session of [used, others.at(-1) ?? ""]) {
      expect(await exists(testServer, session)).toBe(true)
    }
    expect(await exists(testServer, other, "b")).toBe(true)
  })

  it("the log names the caller of the one that closes, and nothing else", async () => {
    const key = "a".repeat(40)
    const env = { MESSAGING_TOPUP_MCP_BEARER_KEYS: `ann:${key},bob:${"b".repeat(40)}` }
    await using http = await openHttp(undefined, { env })
    for (let opened = 0; opened <= Sessions.maximum.ofCaller; opened += 1) {
      await openSession(http.url, as(key))
    }
    expect(await http.server.log.entry("a session was closed for a new one")).toEqual({
      time: expect.any(String),
      level: "info",
      event: "a session was closed for a new one",
      caller: "key:ann"
    })
  })

  it("none closes at the limit of a caller if there is one caller, or nobody has a name", async () => {
    const ofOneKey = Result.getOrThrow(parseKeys("one:one-4dZk3fTq8wYx2LmN7pRs9vBc1hJg6aQe"))
    const oneKey = await Effect.runPromise(Authenticator.make({ keys: ofOneKey, scopes: [] }))
    const key = "one-4dZk3fTq8wYx2LmN7pRs9vBc1hJg6aQe"
    for (const of of [undefined, oneKey]) {
      await using testServer = await openTestHttpServer({ authenticator: of, maxSessions })
      const [first = ""] = await openMany(testServer, maxSessions.ofCaller + 1, key)
      expect(await exists(testServer, first, key)).toBe(true)
    }
  })

  it("none is closed with a call that is not over, such as one that asks a person", async () => {
    await using testServer = await openTestHttpServer({ authenticator, maxSessions })
    const call = async (session: string) => {
      const response = await callInSession(testServer.url, session, 1, "hold", {
        headers: as("a")
      })
      return { response, hold: await testServer.nextHold() }
    }
    const calls = []
    for (const session of await openMany(testServer, maxSessions.ofCaller)) {
      calls.push(await call(session))
    }
    const refused = await post(testServer.url, initialize, { headers: as("a") })
    expect(refused.status).toBe(503)
    expect(await refused.text()).toContain("Too many sessions")
    await openMany(testServer, 1, "b")
    for (const { hold, response } of calls) {
      hold.release("sent")
      expect(await messageOf(response)).toMatchObject({ result: { content: text("sent") } })
    }
    await openMany(testServer, 1)
  })

  it("of all callers together, a newcomer's is opened, and one closes that nobody uses", async () => {
    const anybody: Authenticator.Authenticator = {
      ...authenticator,
      authenticate: (clientId = "") => Promise.resolve({ token: "", clientId, scopes: [] })
    }
    await using testServer = await openTestHttpServer({ authenticator: anybody, maxSessions })
    const callers = ["a", "b", "c", "d", "e"]
    const all = await Promise.all(
      callers.map((key) => openMany(testServer, maxSessions.ofCaller, key))
    )
    const busy = all[0]?.[0] ?? ""
    const response = await callInSession(testServer.url, busy, 1, "hold", { headers: as("a") })
    const hold = await testServer.nextHold()
    const newcomers = await openMany(testServer, maxSessions.ofCaller - 1, "f")
    const idle = callers.flatMap((key, at) =>
      (all[at] ?? []).flatMap((session) => (session === busy ? [] : [{ key, session }]))
    )
    const left = await Promise.all(idle.map(({ key, session }) => exists(testServer, session, key)))
    expect(left.filter((isLeft) => !isLeft)).toHaveLength(newcomers.length)
    for (const session of newcomers) expect(await exists(testServer, session, "f")).toBe(true)
    hold.release("sent")
    expect(await messageOf(response)).toMatchObject({ result: { content: text("sent") } })
  })
})

it("what the client of the SDK 1.x gives up, it cancels, and it is not locked out", async () => {
  await using testServer = await openTestHttpServer()
  const client = new OldClient({ name: "older", version: "1.0.0" })
  await client.connect(new OldTransport(new URL(testServer.url)))
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
