import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import v8 from "node:v8"
import vm from "node:vm"
import { client, transports } from "../support/Clients.ts"
import { contract } from "../support/Contract.ts"
import { fakeDispatcher } from "../support/FakeDispatcher.ts"
import { socketServer } from "../support/SocketServer.ts"

v8.setFlagsFromString("--expose-gc")
const gc: () => void = vm.runInNewContext("gc")

const heldBytes = () => {
  gc()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return arrayBuffers + heapUsed
}

const success = JSON.stringify(contract.listDataBundles.success)

describe("a body in chunks of one byte", () => {
  it.live("takes its own length, not a buffer for each", () =>
    Effect.gen(function* () {
      const padding = 1_000_000
      let grown = 0
      const dispatcher = fakeDispatcher((handler, controller) => {
        handler.onRequestStart(controller, {})
        handler.onResponseStart(controller, 200, {})
        const before = heldBytes()
        for (const byte of Buffer.from(success + " ".repeat(padding))) {
          handler.onResponseData(controller, Buffer.of(byte))
        }
        grown = heldBytes() - before
        handler.onResponseEnd(controller, {})
      })
      const bundles = yield* Effect.flatMap(MessagingTopup, (service) =>
        service.listDataBundles()
      ).pipe(
        Effect.provide(client("http://127.0.0.1:1", NodeTransport.layerDispatcher(dispatcher)))
      )
      expect(bundles).toEqual(contract.listDataBundles.success)
      expect(grown).toBeLessThan(10 * padding)
    })
  )
})

describe.for(transports)("over %s, a body", ([, transport]) => {
  it.live("is put together again, in chunks of whatever length", () =>
    Effect.gen(function* () {
      const server = yield* socketServer
      const name = Array.from({ length: 300_000 }, (_, index) => String(index % 10)).join("")
      const body = JSON.stringify({ category: [{ bundle_id: "b-1", name }] })
      const lengths = [1, 5, 8191, 1, 8192, 20_000, 3, 65_536, 65_535, 2, 1, 70_000, 1, 100]
      server.onRequest((socket) => {
        socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        let from = 0
        for (const length of [...lengths, body.length]) {
          const part = body.slice(from, from + length)
          from += part.length
          if (part !== "") socket.write(`${part.length.toString(16)}\r\n${part}\r\n`)
        }
        socket.write("0\r\n\r\n")
      })
      const { category } = yield* Effect.flatMap(MessagingTopup, (service) =>
        service.listDataBundles()
      ).pipe(Effect.provide(client(server.baseUrl, transport)))
      expect(category[0]?.name === name).toBe(true)
    })
  )
})
