/**
 * A server that writes fixed responses, in its own process: `server.ts [delay [slow]]`. Responses are
 * delayed by so many milliseconds, and each hundredth by `slow`. It tells its parent its address, and when the
 * first request arrived.
 *
 * It has only the part of HTTP that its clients need. `node:http` takes longer for a response than undici for a
 * call, so the benchmark would measure the server.
 */
import * as Effect from "effect/Effect"
import { responseText, socketServer } from "../test/harness/SocketServer.ts"
import { serveParent } from "./child.ts"
import { clients } from "./comparison/clients.js"

const response = (status: number, body: object | string, type = "application/json"): Buffer =>
  Buffer.from(
    responseText(status, body, "content-length", {
      "content-type": type,
      date: "Thu, 01 Jan 2026 00:00:00 GMT"
    })
  )

const record = {
  recipient: "+15550100",
  message_id: "bench-1",
  status: "SANDBOX_SENT",
  date_created: "2026-01-01T00:00:00.000Z",
  sender_id: "BENCH"
}

const read = response(200, { success: true, status: 200, message: "Retrieved", data: [record] })

/** What each service sends when it accepts an SMS, by the beginning of the request. */
const accepted = Object.values(clients).map(({ accepted: body, path, status, type }) => ({
  begin: `POST ${path} `,
  bytes: response(status, body, type)
}))

const [delayMillis = 0, slowMillis = delayMillis] = process.argv.slice(2).map(Number)

let responses = 0
let firstAt = Number.NaN

const main = Effect.gen(function* () {
  const { baseUrl, onConnection, onRequest, received } = yield* socketServer
  onConnection((socket) => void socket.setNoDelay())
  onRequest((socket) => {
    // Nobody else reads the requests, and a million of them take memory.
    const request = received.pop() ?? ""
    const bytes = accepted.find(({ begin }) => request.startsWith(begin))?.bytes ?? read
    if (responses === 0) firstAt = Date.now()
    const millis = ++responses % 100 === 0 ? slowMillis : delayMillis
    if (millis === 0) socket.write(bytes)
    else setTimeout(() => socket.write(bytes), millis)
  })
  serveParent(async () => firstAt, baseUrl)
  return yield* Effect.never
})

void Effect.runPromise(Effect.scoped(main))
