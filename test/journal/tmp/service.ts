/**
 * A service that counts what it accepts, in its own process: `service.ts [delayMillis [slowShare slowMillis]]`.
 *
 * Prints its port. `GET /stats` returns the counts, `GET /reset` forgets them, and `GET /keys` returns each
 * text that was accepted, with its number.
 */
import { createServer, type Socket } from "node:net"

const [delay = 0, slowShare = 0, slowMillis = 0, resetShare = 0] = process.argv.slice(2).map(Number)

const taken = new Map<string, number>()
let total = 0
let firstAt = 0
let lastAt = 0
let inFlight = 0
let most = 0

const write = (socket: Socket, status: string, body: unknown): void => {
  const json = JSON.stringify(body)
  socket.write(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
  )
}

const accept = (text: string): void => {
  taken.set(text, (taken.get(text) ?? 0) + 1)
  total++
  lastAt = Date.now()
  if (firstAt === 0) firstAt = lastAt
}

const stats = () => ({
  total,
  different: taken.size,
  twice: [...taken.values()].filter((count) => count > 1).length,
  millis: lastAt - firstAt,
  most
})

const respond = (socket: Socket, head: string, body: string): void => {
  if (head.startsWith("GET /stats")) return write(socket, "200 OK", stats())
  if (head.startsWith("GET /keys")) return write(socket, "200 OK", [...taken])
  if (head.startsWith("GET /reset")) {
    taken.clear()
    total = firstAt = lastAt = most = 0
    return write(socket, "200 OK", {})
  }
  const { message, recipient } = JSON.parse(body)
  if (Math.random() < resetShare) {
    // Before or after it was accepted: the client cannot know.
    if (Math.random() < 0.5) accept(message)
    socket.destroy()
    return
  }
  accept(message)
  const data = [{ recipient, message_id: `id-${total}`, status: "QUEUED" }]
  const sent = { success: true, status: 202, message: "Accepted", data }
  const wait = Math.random() < slowShare ? slowMillis : delay
  most = Math.max(most, ++inFlight)
  const end = () => {
    inFlight--
    write(socket, "202 Accepted", sent)
  }
  if (wait === 0) end()
  else setTimeout(end, wait)
}

createServer({ noDelay: true }, (socket) => {
  let text = ""
  socket.on("error", () => socket.destroy())
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1")
    while (true) {
      const end = text.indexOf("\r\n\r\n")
      if (end < 0) return
      const head = text.slice(0, end)
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (text.length < end + 4 + length) return
      respond(socket, head, text.slice(end + 4, end + 4 + length))
      text = text.slice(end + 4 + length)
    }
  })
}).listen(0, "127.0.0.1", function (this: { address: () => unknown }) {
  process.stdout.write(`${JSON.stringify(this.address())}\n`)
})
