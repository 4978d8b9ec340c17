import { once } from "node:events"
import { describe, expect, it } from "vitest"
import { marker } from "../harness/mcp/Hostile.ts"
import { expectNoContent, expectServingHttp } from "../harness/mcp/RandomMessages.ts"
import {
  callOver,
  type Headers,
  jsonHeaders,
  messageOf,
  modernHeaders,
  openHttp,
  openSession,
  post,
  requestText
} from "../harness/mcp/RawHttp.ts"
import { callOf, initializeOf } from "../harness/mcp/RawStdio.ts"
import { openSandbox } from "../harness/mcp/RealSandbox.ts"

const preview = { message: "Hello" }

const statusOf = (response: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1])

const modernCall = callOf("modern", 1, "preview_sms", preview)

/** Makes a valid call of the modern era, with some headers changed. */
const postModern = (url: string, headers: Headers, body: unknown = modernCall) =>
  post(url, body, { headers: { ...modernHeaders("tools/call", "preview_sms"), ...headers } })

describe("requests that are not MCP requests", () => {
  it("with another content type receive 415, in both eras", async () => {
    await using http = await openHttp()
    for (const type of ["text/plain", "multipart/form-data; boundary=x", "", `text/${marker}`]) {
      const headers = { "content-type": type }
      expect((await postModern(http.url, headers)).status).toBe(415)
      expect((await post(http.url, initializeOf(1), { headers })).status).toBe(415)
    }
    const none = requestText("POST", "/mcp", { accept: "*/*", "content-length": "2" }, "{}")
    expect(statusOf(await http.exchange(none))).toBe(415)
    const html = { headers: { accept: `text/${marker}` } }
    expect((await post(http.url, initializeOf(1), html)).status).toBe(406)
    await expectServingHttp(http)
    expectNoContent(http.server)
  })

  it("with another HTTP method receive 405 or an error, and change nothing", async () => {
    await using http = await openHttp()
    for (const method of ["GET", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND"]) {
      const status = statusOf(await http.exchange(requestText(method, "/mcp", jsonHeaders)))
      expect([400, 404, 405], `${method} ${status}`).toContain(status)
    }
    for (const method of ["POST", "PUT", "DELETE"]) {
      expect(statusOf(await http.exchange(requestText(method, "/healthz", {})))).toBe(404)
    }
    expect(statusOf(await http.exchange("NONSENSE /mcp HTTP/1.1\r\nhost: a\r\n\r\n"))).toBe(400)
    await expectServingHttp(http)
  })

  it("that ask for an upgrade, a tunnel or an unknown expectation are refused", async () => {
    await using http = await openHttp()
    const upgrade = { ...jsonHeaders, connection: "upgrade", upgrade: "websocket" }
    const socket = await http.connect()
    socket.write(requestText("GET", "/mcp", upgrade))
    const [response] = (await once(socket, "data")) as [Buffer]
    expect(statusOf(response.toString())).toBeGreaterThanOrEqual(400)
    socket.destroy()
    const expectation = { ...jsonHeaders, expect: marker, "content-length": "2" }
    expect(statusOf(await http.exchange(requestText("POST", "/mcp", expectation, "{}")))).toBe(417)
    expect(await http.exchange("CONNECT 127.0.0.1:22 HTTP/1.1\r\nhost: a\r\n\r\n")).toBe("")
    await expectServingHttp(http)
    expectNoContent(http.server)
  })

  it("that are not HTTP receive 400, and their connection is closed", async () => {
    await using http = await openHttp()
    const garbage = [
      `${marker}\r\n\r\n`,
      "\0\0\0\0\r\n\r\n",
      "POST /mcp HTTP/1.1\r\nhost 127.0.0.1\r\n\r\n",
      requestText("POST", "/mcp", { ...jsonHeaders, "content-length": "-1" }),
      requestText("POST", "/mcp", { ...jsonHeaders, "transfer-encoding": "chunked" }, `5${marker}`)
    ]
    for (const request of garbage) expect(statusOf(await http.exchange(request))).toBe(400)
    await expectServingHttp(http)
    expectNoContent(http.server)
  })

  it("whose body never arrives completely do nothing, and leave nothing behind", async () => {
    await using sandbox = await openSandbox()
    await using http = await openHttp([], { env: sandbox.env })
    const body = JSON.stringify(
      callOf("modern", 1, "send_sms", { recipient: "+254700000001", message: marker })
    )
    const head = { ...jsonHeaders, ...modernHeaders("tools/call", "send_sms") }
    for (const [length, sent] of [
      [body.length + 1, body],
      [body.length, body.slice(0, -1)],
      [body.length, ""]
    ] as const) {
      const socket = await http.connect()
      socket.write(requestText("POST", "/mcp", { ...head, "content-length": String(length) }, sent))
      socket.end()
      await once(socket.resume(), "close")
    }
    const chunked = { ...head, "transfer-encoding": "chunked" }
    const socket = await http.connect()
    socket.write(requestText("POST", "/mcp", chunked, `${body.length.toString(16)}\r\n${body}\r\n`))
    socket.end()
    await once(socket.resume(), "close")
    await expectServingHttp(http)
    expect(await sandbox.messages()).toEqual([])
    expectNoContent(http.server)
  })
})

describe("a session", () => {
  it("that does not exist is not found, whatever is asked of it", async () => {
    await using http = await openHttp()
    await openSession(http.url)
    for (const id of ["no-such-session", "__proto__", "../../etc/passwd", "x".repeat(4_000)]) {
      const headers = { ...jsonHeaders, "mcp-session-id": id }
      for (const init of [
        { method: "POST", body: JSON.stringify(callOf("legacy", 1, "preview_sms", preview)) },
        { method: "POST", body: JSON.stringify(initializeOf(1)) },
        { method: "GET" },
        { method: "DELETE" }
      ]) {
        const response = await fetch(http.url, { ...init, headers })
        expect(response.status).toBe(404)
        // An error that clients understand.
        expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32001 } })
      }
    }
    await expectServingHttp(http)
  })

  it("survives batches, broken messages and two requests with one id", async () => {
    await using http = await openHttp()
    const session = await openSession(http.url)
    const headers = { "mcp-session-id": session }
    const bodies = [
      [],
      [callOf("legacy", 1, "preview_sms", preview), callOf("legacy", 2, "preview_sms", preview)],
      [marker],
      { [marker]: 1 },
      { ...callOf("legacy", 3, "preview_sms"), id: { [marker]: 1 } },
      { ...callOf("legacy", 4, "preview_sms"), method: 5 },
      { ...callOf("legacy", 5, "preview_sms"), params: marker },
      { jsonrpc: "2.0", id: 6, result: { [marker]: 1 } },
      { jsonrpc: "2.0", method: marker }
    ]
    for (const body of bodies) await (await post(http.url, body, { headers })).text()
    const gone = new AbortController()
    const twice = callOf("legacy", "twice", "preview_sms", preview)
    await Promise.all([1, 2, 3].map(() => post(http.url, twice, { headers, signal: gone.signal })))
    gone.abort()
    const call = await callOver(http.url, "legacy", 9, "preview_sms", preview, { session })
    expect((await messageOf(call)).result).toBeDefined()
    expectNoContent(http.server)
  })
})
