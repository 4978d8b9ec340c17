import { describe, expect, it } from "@effect/vitest"
import { endOfSend, MessagingTopup, MayStart } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { client, type Transport, allTransports } from "../harness/Clients.ts"
import { contract, sendOne } from "../harness/Contract.ts"
import { fakeDispatcher } from "../harness/FakeDispatcher.ts"
import { responseText, socketServer } from "../harness/SocketServer.ts"

const send = Effect.flatMap(MessagingTopup, sendOne)

const refused = Effect.provideService(endOfSend(send), MayStart, () => false)

/** A server that counts its connections and the bytes that it gets. */
const counting = Effect.map(socketServer, (server) => {
  const seen = { bytes: 0, connections: 0, requests: server.received }
  server.onConnection((socket) => {
    seen.connections++
    socket.on("data", (chunk: Buffer) => {
      seen.bytes += chunk.length
    })
  })
  server.onRequest((socket) => socket.write(responseText(202, contract.sendSms.success)))
  return { baseUrl: server.baseUrl, seen }
})

/** Calls with the service over the transport, and returns what the server has seen. */
const calls = <A, E>(transport: Transport, use: Effect.Effect<A, E, MessagingTopup>) =>
  Effect.gen(function* () {
    const { baseUrl, seen } = yield* counting
    const result = yield* Effect.provide(use, client(baseUrl, transport))
    return { result, seen }
  }).pipe(Effect.scoped)

describe.for(allTransports)("a start that the program refuses, over %s,", ([, transport]) => {
  it.live("interrupts the call, which is not retried, and no byte arrives", () =>
    Effect.gen(function* () {
      let starts = 0
      const counted = Effect.provideService(endOfSend(send), MayStart, () => {
        starts++
        return false
      })
      const { result, seen } = yield* calls(transport, counted)
      expect(starts).toBe(1)
      expect(result).toMatchObject({ outcome: "not-sent", results: [] })
      expect(Exit.isFailure(result.exit) && Cause.hasInterruptsOnly(result.exit.cause)).toBe(true)
      expect(seen.bytes).toBe(0)
    })
  )
})

describe("a refused start", () => {
  it.live("after another start of the same call leaves an unknown outcome", () =>
    Effect.gen(function* () {
      let starts = 0
      const second = Effect.provideService(
        endOfSend(Effect.andThen(send, send)),
        MayStart,
        () => starts++ === 0
      )
      const { result, seen } = yield* calls(NodeTransport.layer, second)
      expect(result).toMatchObject({ outcome: "unknown" })
      expect(seen.requests).toHaveLength(1)
    })
  )

  it.live("leaves undici's connection to the next call, without a byte of its own", () =>
    Effect.gen(function* () {
      const { result, seen } = yield* calls(
        NodeTransport.layerOptions({ connections: 1 }),
        Effect.gen(function* () {
          yield* send
          yield* refused
          return yield* send
        })
      )
      expect(result).toEqual(contract.sendSms.success)
      expect(seen.connections).toBe(1)
      expect(seen.requests).toHaveLength(2)
      // The second one is no longer than the first one.
      const [first = "", second = ""] = seen.requests
      expect(second).toBe(first)
      expect(seen.bytes).toBe(2 * first.length)
    })
  )

  it.live("comes too late on a dispatcher that does not report starts: the response counts", () =>
    Effect.gen(function* () {
      const dispatcher = fakeDispatcher((handler, controller) => {
        handler.onResponseStart(controller, 202, {})
        handler.onResponseData(controller, Buffer.from(JSON.stringify(contract.sendSms.success)))
        handler.onResponseEnd(controller, {})
      })
      const end = yield* refused.pipe(
        Effect.provide(client("http://127.0.0.1:1", NodeTransport.layerDispatcher(dispatcher)))
      )
      expect(end.outcome).toBe("sent")
    })
  )
})
