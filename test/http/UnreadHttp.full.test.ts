import type { Socket } from "node:net"
import { expect, it } from "vitest"
import { expectServingHttp } from "../harness/mcp/RandomMessages.ts"
import {
  jsonHeaders,
  modernHeaders,
  openHttp,
  openSession,
  requestText
} from "../harness/mcp/RawHttp.ts"
import { requestOf } from "../harness/mcp/RawStdio.ts"

it("clients that never read their responses, and that never end their requests, block no other client, and are disconnected when the server stops", async () => {
  await using http = await openHttp()
  const body = JSON.stringify(requestOf("modern", 1, "tools/list"))
  const list = requestText(
    "POST",
    "/mcp",
    {
      ...jsonHeaders,
      ...modernHeaders("tools/list"),
      connection: "keep-alive",
      "content-length": String(body.length)
    },
    body
  )
  const sockets: Array<Socket> = []
  // From the beginning: on a busy machine, the server disconnects some before it stops.
  const closed: Array<Promise<void>> = []
  const connect = async () => {
    const socket = await http.connect()
    sockets.push(socket)
    closed.push(new Promise((resolve) => void socket.once("close", () => resolve())))
    return socket
  }
  for (let count = 0; count < 20; count += 1) {
    const socket = await connect()
    socket.pause()
    socket.write(list.repeat(200))
  }
  for (let count = 0; count < 20; count += 1) {
    const socket = await connect()
    const started = "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\n"
    socket.write(`${started}${count % 2 === 0 ? "x-slow: " : "content-length: 9\r\n\r\n{"}`)
  }
  await expectServingHttp(http)
  await openSession(http.url)
  http.server.stop()
  expect(await http.server.ended).toMatchObject({ code: 0, signal: null })
  for (const socket of sockets) socket.resume()
  await Promise.all(closed)
})
