import { describe, expect, it } from "@effect/vitest"
import { type MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { transports } from "../harness/Clients.ts"
import { contract, recipient, text } from "../harness/Contract.ts"
import { reply } from "../harness/ResponseServer.ts"
import { isFull, runs } from "../harness/Runs.ts"
import { serving, servingSockets } from "../harness/Serving.ts"
import { responseText } from "../harness/SocketServer.ts"
import { afterTurns, turns } from "../harness/TestTime.ts"

type Service = MessagingTopup["Service"]

const send = (service: Service, message = text) => service.sendSms({ recipient, message })

const accepted = responseText(202, contract.sendSms.success)

// RefusedStart.test.ts has what undici writes before a request starts: nothing.
describe.for(transports)("over %s", ([name, transport]) => {
  it.live("interim responses are ignored", () =>
    servingSockets({ transport }, function* (service, server) {
      server.onRequest((socket) => {
        socket.write("HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n")
        afterTurns(3, () => socket.write(`HTTP/1.1 102 Processing\r\n\r\n${accepted}`))
      })
      expect(yield* send(service)).toEqual(contract.sendSms.success)
      expect(server.received).toHaveLength(1)
    })
  )

  // RFC 9110 §15.2.1 says to ignore it. If this test fails one day, undici does.
  it.live("an unexpected 100 is a lost connection", () =>
    servingSockets({ transport }, function* (service, server) {
      server.onRequest((socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${accepted}`))
      const error = yield* Effect.flip(send(service))
      expect(error).toMatchObject({ _tag: "ConnectionLost", sendOutcome: "unknown" })
      expect(server.received).toHaveLength(1)
    })
  )

  it.live("a response before the whole request is read counts", () =>
    servingSockets({ transport }, function* (service, server) {
      server.onConnection((socket) => {
        socket.once("data", () => {
          socket.pause()
          socket.write(responseText(413, ""))
        })
      })
      expect(yield* Effect.flip(send(service, "x".repeat(8_000_000)))).toMatchObject({
        _tag: "UndocumentedStatus",
        status: 413,
        sendOutcome: "unknown"
      })
    })
  )

  it.live("a send at any time around the server's idle close is never sent twice", () =>
    servingSockets({ transport }, function* (service, server) {
      const outcomes = new Set<string>()
      for (let closing = 0; closing < 8; closing++) {
        // A later send meets no close, as the full tests show.
        for (let sending = 0; sending < (isFull ? 8 : 3); sending++) {
          for (const close of ["FIN", "RST"] as const) {
            // The server closes the connection after the first response.
            server.onRequest((socket, nth) => {
              socket.write(accepted)
              if (nth > 1) return
              afterTurns(closing, () => (close === "FIN" ? socket.end() : socket.resetAndDestroy()))
            })
            const first = yield* Effect.exit(send(service, "first"))
            yield* turns(sending)
            const second = yield* Effect.exit(send(service, "second"))
            yield* turns(10)
            const place = `${close} after ${closing} turns, sent after ${sending}`
            const posts = (message: string) =>
              server.received.filter((request) => request.includes(`"${message}"`)).length
            for (const [exit, message] of [
              [first, "first"],
              [second, "second"]
            ] as const) {
              const outcome = sendOutcome(exit)
              outcomes.add(outcome)
              expect(posts(message), place).toBeLessThanOrEqual(1)
              if (outcome === "sent") expect(posts(message), place).toBe(1)
              if (outcome === "not-sent") expect(posts(message), place).toBe(0)
              if (Exit.isFailure(exit)) {
                const _tag = outcome === "not-sent" ? "ConnectionFailed" : "ConnectionLost"
                expect(Cause.squash(exit.cause), place).toMatchObject({ _tag })
              }
            }
          }
        }
      }
      // Some sends met the close. A send that did not start is retried, except on a wrapper.
      expect(outcomes).toEqual(new Set(["sent", "unknown"]))
    })
  )

  it.live("a send that is interrupted at any time leaves nothing behind", () =>
    serving({ transport }, function* (service, server) {
      const reached: Array<number> = []
      for (let interrupted = 0; interrupted < 30; interrupted++) {
        server.respondWith((_, response) => {
          afterTurns(2, () => {
            response.writeHead(202, { "content-type": "application/json" })
            response.write('{"success":')
            afterTurns(2, () => response.end("true}"))
          })
        })
        const sending = yield* Effect.forkChild(send(service), { startImmediately: true })
        if (interrupted > 0) yield* turns(interrupted - 1)
        yield* Fiber.interrupt(sending)
        yield* turns(10)
        expect(server.received.length).toBeLessThanOrEqual(1)
        reached.push(server.received.length)
        server.respondWith(reply(202, contract.sendSms.success))
        expect(yield* send(service)).toEqual(contract.sendSms.success)
        expect(server.received).toHaveLength(1)
      }
      // Some were interrupted before the request started, and some after.
      expect(new Set(reached)).toEqual(new Set([0, 1]))
    })
  )

  it.live(
    "thousands of parallel sends arrive once each, over a limited number of connections",
    () =>
      servingSockets({ transport, timeout: "2 minutes" }, function* (service, server) {
        server.onRequest((socket) => socket.write(accepted))
        const count = runs(3_000)
        yield* Effect.forEach(
          Array.from({ length: count }, (_, number) => `message ${number}.`),
          (message) => send(service, message),
          // Node's `fetch` opens one connection per call, without a limit.
          { concurrency: name === "fetch" ? 200 : "unbounded", discard: true }
        )
        const messages = server.received.map((request) => /"(message \d+\.)"/.exec(request)?.[1])
        expect(new Set(messages).size).toBe(count)
        expect(messages).toHaveLength(count)
        if (name !== "fetch") expect(server.maxConnections()).toBe(100)
      })
  )
})
