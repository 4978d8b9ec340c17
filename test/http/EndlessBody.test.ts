import type { Socket } from "node:net"
import { describe, expect, it } from "vitest"
import { expectServingHttp } from "../harness/mcp/RandomMessages.ts"
import { jsonHeaders, openHttp, type RawHttp } from "../harness/mcp/RawHttp.ts"

const key = "k".repeat(40)
const withKey = { env: { MESSAGING_TOPUP_MCP_BEARER_KEYS: `me:${key}` } }

const chunk = `${(65_536).toString(16)}\r\n${"x".repeat(65_536)}\r\n`

/** Writes until the server closes the connection. Returns what was received. */
const writeForever = async (http: RawHttp, path: string, headers: Record<string, string>) => {
  const socket: Socket = await http.connect()
  const closed = Promise.withResolvers<void>()
  let received = ""
  socket.on("data", (data) => (received += data.toString()))
  socket.once("close", () => closed.resolve())
  const lines = Object.entries({ host: "127.0.0.1", "transfer-encoding": "chunked", ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  const write = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on("drain", write)
  socket.write(`POST ${path} HTTP/1.1\r\n${head}\r\n`)
  write()
  await closed.promise
  return received
}

describe("a body without an end", () => {
  it.each([
    ["a caller who is not known", "/mcp", {}, 401],
    ["a foreign origin", "/mcp", { origin: "https://evil.example" }, 403],
    ["another path", "/elsewhere", {}, 404],
    ["a caller who is known", "/mcp", { authorization: `Bearer ${key}` }, 413]
  ])("is cut: %s", async (_, path, headers, status) => {
    await using http = await openHttp(["--sandbox"], withKey)
    const received = await writeForever(http, path, { ...jsonHeaders, ...headers })
    expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  it("is cut off on a server without authentication too, and other calls are served", async () => {
    await using http = await openHttp()
    expect(await writeForever(http, "/mcp", jsonHeaders)).toMatch(/^HTTP\/1\.1 413 /)
    await expectServingHttp(http)
  })
})

describe("a body that is refused with its caller", () => {
  it("is not read before the caller is known", async () => {
    await using http = await openHttp(["--sandbox"], withKey)
    // Announced, but never sent: a server that waits for it would not respond.
    const head = Object.entries({ host: "127.0.0.1", "content-length": "1000", ...jsonHeaders })
    const socket = await http.connect()
    const response = new Promise<string>((resolve) => {
      socket.once("data", (data) => resolve(data.toString()))
    })
    socket.write(
      `POST /mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`
    )
    expect(await response).toMatch(/^HTTP\/1\.1 401 /)
    socket.destroy()
  })

  it("leaves the connection open for the next request if it is short", async () => {
    await using http = await openHttp(["--sandbox"], withKey)
    const body = "x".repeat(200_000)
    const request = (more: string) =>
      `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${body.length}\r\n${more}\r\n${body}`
    const received = await http.exchange(request("") + request("connection: close\r\n"))
    expect(received.match(/HTTP\/1\.1 401 /g)).toHaveLength(2)
  })
})
