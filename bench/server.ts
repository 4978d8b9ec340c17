/**
 * A server that writes two fixed responses, in its own process: `server.ts [delay [slow]]`. Responses are
 * delayed by so many milliseconds, and each hundredth by `slow`. It tells its parent when the first request
 * arrived.
 *
 * It implements only the part of HTTP that its clients need. `node:http` takes longer for a response than
 * undici for a call, so the benchmark would measure the server.
 */
import { createServer, type Socket } from "node:net"

const response = (status: string, body: unknown): Buffer => {
  const json = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(json)}`,
    "date: Thu, 01 Jan 2026 00:00:00 GMT"
  ]
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${json}`)
}

const record = {
  recipient: "+15550100",
  message_id: "bench-1",
  status: "SANDBOX_SENT",
  date_created: "2026-01-01T00:00:00.000Z",
  sender_id: "BENCH"
}

const read = response("200 OK", {
  success: true,
  status: 200,
  message: "The status was retrieved",
  data: [record]
})

const sent = response("202 Accepted", {
  success: true,
  status: 202,
  message: "Accepted",
  data: [{ recipient: "+15550100", message_id: "bench-1", status: "SANDBOX_QUEUED" }]
})

const endOfHead = "\r\n\r\n"

/** The length of the first request in the text, if it is complete. */
const requestLength = (text: string): number | undefined => {
  const end = text.indexOf(endOfHead)
  if (end < 0) return undefined
  const announced = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? "0"
  const length = end + endOfHead.length + Number(announced)
  return text.length < length ? undefined : length
}

const [delayMillis = 0, slowMillis = delayMillis] = process.argv.slice(2).map(Number)

let responses = 0
let firstAt = Number.NaN

const respond = (socket: Socket, bytes: Buffer): void => {
  if (responses === 0) firstAt = Date.now()
  const millis = ++responses % 100 === 0 ? slowMillis : delayMillis
  if (millis === 0) socket.write(bytes)
  else setTimeout(() => socket.write(bytes), millis)
}

const serve = (socket: Socket): void => {
  let text = ""
  socket.on("error", () => socket.destroy())
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1")
    for (let length = requestLength(text); length !== undefined; length = requestLength(text)) {
      respond(socket, text.startsWith("POST") ? sent : read)
      text = text.slice(length)
    }
  })
}

const server = createServer({ noDelay: true }, serve)

server.listen(0, "127.0.0.1", () => process.send?.(server.address()))

process.on("message", () => process.send?.({ firstAt }))
process.on("disconnect", () => process.exit(0))
