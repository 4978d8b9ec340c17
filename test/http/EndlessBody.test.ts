import { once } from "node:events"
import { expect, it } from "vitest"
import { expectServingHttp } from "../harness/mcp/RandomMessages.ts"
import { type Headers, jsonHeaders, openHttp, requestText } from "../harness/mcp/RawHttp.ts"

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
