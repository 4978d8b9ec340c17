/**
 * A service that is not ours: it accepts SMS, and counts how often it accepted each text.
 */
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { listening } from "../Listening.ts"

interface Behaviour {
  /** How long each response takes. */
  readonly millis: number
  /** The share of requests whose connection is reset: half of them after the SMS was accepted. */
  readonly resets?: number
}

export const startCounting = ({ millis, resets = 0 }: Behaviour) =>
  Effect.gen(function* () {
    const accepted = new Map<string, number>()
    /** When each SMS was accepted. */
    const times = new Array<number>()
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const chance = Math.random()
        const isReset = chance < resets
        if (!isReset || chance < resets / 2) {
          const { message } = JSON.parse(body)
          accepted.set(message, (accepted.get(message) ?? 0) + 1)
          times.push(performance.now())
        }
        if (isReset) return request.socket.destroy()
        const data = [{ recipient: "", message_id: `m${times.length}`, status: "accepted" }]
        const json = JSON.stringify({ success: true, status: 202, message: "", data })
        setTimeout(
          () => response.writeHead(202, { "content-type": "application/json" }).end(json),
          millis
        )
        return undefined
      })
    })
    const { port } = yield* listening(server)
    const env = {
      MESSAGING_TOPUP_BASE_URL: `http://127.0.0.1:${port}`,
      MESSAGING_TOPUP_TOKEN: "token",
      // Claims of killed processes read as unknown soon, and yet a busy machine responds sooner.
      MESSAGING_TOPUP_TIMEOUT: "10 seconds"
    }
    return { accepted, env, times }
  })
