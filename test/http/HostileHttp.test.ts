import { once } from "node:events"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
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
  type RawHttp,
  requestText
} from "../harness/mcp/RawHttp.ts"
import { callOf, initializeOf } from "../harness/mcp/RawStdio.ts"
import { openSandbox } from "../harness/mcp/RealSandbox.ts"

const key = "k".repeat(40)
const withKey = { env: { MESSAGING_TOPUP_MCP_BEARER_KEYS: `me:${key}` } }

const chunk = `${(65_536).toString(16)}\r\n${"x".repeat(65_536)}\r\n`

it.each<readonly [string, object, string, Headers, number]>([
  ["a caller who is not known", withKey, "/mcp", {}, 401],
  ["a foreign origin", withKey, "/mcp", { origin: "https://evil.example" }, 403],
  ["another path", withKey, "/elsewhere", {}, 404],
  ["a caller who is known", withKey, "/mcp", { authorization: `Bearer ${key}` }, 413],
  ["a server without authentication", {}, "/mcp", {}, 413]
])(
  "a body without an end is cut, and other calls are served: %s",
  async (_, options, path, headers, status) => {
    await using http = await openHttp(["--sandbox"], options)
    const socket = await http.connect()
    // Not `once` of node:events, which rejects when the server resets the connection.
    const closed = new Promise((resolve) => socket.once("close", resolve))
    let received = ""
    socket.on("data", (data) => (received += data.toString()))
    const write = () => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.on("drain", write)
    const head = { ...jsonHeaders, "transfer-encoding": "chunked", connection: "keep-alive" }
    socket.write(requestText("POST", path, { ...head, ...headers }))
    write()
    await closed
    expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    if (options !== withKey) await expectServingHttp(http)
  }
)

it("a body is not read before its caller is known, and a short one leaves the connection open", async () => {
  await using http = await openHttp(["--sandbox"], withKey)
  const posted = (length: number, connection: string) =>
    requestText("POST", "/mcp", { ...jsonHeaders, "content-length": `${length}`, connection })
  // Announced, but never sent: a server that waits for it would not respond.
  const socket = await http.connect()
  socket.write(posted(1000, "keep-alive"))
  expect(String(await once(socket, "data"))).toMatch(/^HTTP\/1\.1 401 /)
  socket.destroy()
  const body = "x".repeat(200_000)
  const both = [posted(body.length, "keep-alive"), body, posted(body.length, "close"), body]
  const received = await http.exchange(both.join(""))
  expect(received.match(/HTTP\/1\.1 401 /g)).toHaveLength(2)
})

const preview = { message: "Hello" }

const statusOf = (response: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1])

const at = (path: string, headers: Headers = {}, method = "GET") =>
  requestText(method, path, { ...jsonHeaders, ...headers })

const posted = (headers: Headers, body = "{}") =>
  requestText(
    "POST",
    "/mcp",
    { ...jsonHeaders, "content-length": `${body.length}`, ...headers },
    body
  )

const calls: ReadonlyArray<readonly [Headers, object]> = [
  [modernHeaders("tools/call", "preview_sms"), callOf("modern", 1, "preview_sms", preview)],
  [{}, initializeOf(1)]
]

const endpoints = ["/mcp", "/healthz", "/elsewhere"]
const foreign = ["https://evil.example", "null", "http://localhost:3000", "http://127.0.0.1"]
const noHosts = ["user@localhost", "localhost:99999", "localhost/mcp?", "a b", "[::1"]
const noTypes = ["text/plain", "multipart/form-data; boundary=x", "", `text/${marker}`]

/** In Latin-1: alone, cut off, longer than needed, and half a character. */
const notUtf8 = ["\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80"]

const accepting = (accepted: ReadonlyArray<string>) =>
  accepted.map((accept) => posted({ accept }, JSON.stringify(initializeOf(1))))

/** What is refused, by its status, as bytes. */
const refused: Readonly<Record<string, readonly [status: number, ReadonlyArray<string | Buffer>]>> =
  {
    "a foreign origin, at each endpoint": [
      403,
      endpoints.flatMap((path) => foreign.map((origin) => at(path, { origin })))
    ],
    "a foreign host": [
      403,
      [at("/elsewhere", { host: "evil.example" }), posted({ host: "evil.example" })]
    ],
    "a foreign host of a health check, which is served": [
      200,
      [at("/healthz", { host: "evil.example" })]
    ],
    "no host": [400, noHosts.map((host) => at("/mcp", { host }))],
    "no path": [400, [at("*", {}, "OPTIONS"), at("http://a.example/mcp")]],
    "an unknown path": [
      404,
      ["/", "/mcp/", "/mcp/x", "/%6dcp", "/.well-known/x"].map((path) => at(path))
    ],
    "a method that Node accepts and a Request cannot have": [
      405,
      endpoints.map((path) => at(path, {}, "TRACE"))
    ],
    "a method of another endpoint": [
      404,
      ["POST", "PUT", "DELETE"].map((method) => at("/healthz", {}, method))
    ],
    "another method": [
      405,
      ["GET", "PUT", "DELETE", "HEAD", "OPTIONS", "PROPFIND"].map((method) =>
        at("/mcp", {}, method)
      )
    ],
    "no method": [400, ["NONSENSE /mcp HTTP/1.1\r\nhost: a\r\n\r\n"]],
    "another content type, in both eras": [
      415,
      [
        ...noTypes.flatMap((type) =>
          calls.map(([headers, body]) =>
            posted({ ...headers, "content-type": type }, JSON.stringify(body))
          )
        ),
        requestText("POST", "/mcp", { accept: "*/*", "content-length": "2" }, "{}")
      ]
    ],
    "a text that is not UTF-8, in both eras": [
      400,
      notUtf8.flatMap((text) =>
        calls.map(([headers, body]) => {
          const wrong = JSON.stringify(body).replace(/Hello|raw/, text)
          return Buffer.from(posted(headers, wrong), "latin1")
        })
      )
    ],
    "a response that nobody can read": [
      406,
      accepting([`text/${marker}`, "application/*", "text/*"])
    ],
    "a response that a wildcard covers, which is served": [
      200,
      accepting(["*/*", "application/*, text/event-stream", "text/* , application/*;q=0.5"])
    ],
    "an unknown expectation": [417, [posted({ expect: marker })]],
    "a tunnel, whose connection is closed": [
      Number.NaN,
      ["CONNECT 127.0.0.1:22 HTTP/1.1\r\nhost: a\r\n\r\n"]
    ],
    "no HTTP": [
      400,
      [
        `${marker}\r\n\r\n`,
        "\0\0\0\0\r\n\r\n",
        "POST /mcp HTTP/1.1\r\nhost 127.0.0.1\r\n\r\n",
        posted({ "content-length": "-1" }),
        requestText(
          "POST",
          "/mcp",
          { ...jsonHeaders, "transfer-encoding": "chunked" },
          `5${marker}`
        )
      ]
    ]
  }

describe("requests that are not MCP requests", () => {
  let http: RawHttp

  beforeAll(async () => {
    http = await openHttp()
  })

  afterAll(async () => {
    await expectServingHttp(http)
    expectNoContent(http.server)
    await http[Symbol.asyncDispose]()
  })

  it.each(Object.entries(refused))("receive an error: %s", async (_, [status, requests]) => {
    for (const request of requests) {
      expect(statusOf(await http.exchange(request)), String(request)).toBe(status)
    }
    expect(http.server.written.stderr).not.toContain('"level":"error"')
  })

  it("are not upgraded", async () => {
    const upgrade = { ...jsonHeaders, connection: "upgrade", upgrade: "websocket" }
    const socket = await http.connect()
    socket.write(requestText("GET", "/mcp", upgrade))
    const [response] = (await once(socket, "data")) as [Buffer]
    expect(statusOf(response.toString())).toBeGreaterThanOrEqual(400)
    socket.destroy()
  })

  it("whose body never arrives completely do nothing, and leave nothing behind", async () => {
    await using sandbox = await openSandbox()
    await using sending = await openHttp([], { env: sandbox.env })
    const sms = { recipient: "+254700000001", message: marker }
    const body = JSON.stringify(callOf("modern", 1, "send_sms", sms))
    const head = { ...jsonHeaders, ...modernHeaders("tools/call", "send_sms") }
    const cut: ReadonlyArray<readonly [Headers, string]> = [
      [{ "content-length": String(body.length + 1) }, body],
      [{ "content-length": String(body.length) }, body.slice(0, -1)],
      [{ "content-length": String(body.length) }, ""],
      [{ "transfer-encoding": "chunked" }, `${body.length.toString(16)}\r\n${body}\r\n`]
    ]
    for (const [length, sent] of cut) {
      const socket = await sending.connect()
      socket.write(requestText("POST", "/mcp", { ...head, ...length }, sent))
      socket.end()
      await once(socket.resume(), "close")
    }
    await expectServingHttp(sending)
    expect(await sandbox.messages()).toEqual([])
    expectNoContent(sending.server)
  })
})

describe("a session", () => {
  it("that does not exist is not found, whatever is asked of it but a new one", async () => {
    await using http = await openHttp()
    await openSession(http.url)
    for (const id of ["no-such-session", "__proto__", "../../etc/passwd", "x".repeat(4_000)]) {
      const headers = { ...jsonHeaders, "mcp-session-id": id }
      for (const init of [
        { method: "POST", body: JSON.stringify(callOf("legacy", 1, "preview_sms", preview)) },
        { method: "GET" },
        { method: "DELETE" }
      ]) {
        const response = await fetch(http.url, { ...init, headers })
        expect(response.status).toBe(404)
        // An error that clients understand.
        expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32001 } })
      }
      // Some clients keep the id when the server was started anew.
      const opened = await openSession(http.url, headers)
      expect(opened).not.toBe(id)
      const call = await callOver(http.url, "legacy", 1, "preview_sms", preview, {
        session: opened
      })
      expect(call.status).toBe(200)
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
