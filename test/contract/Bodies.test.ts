import { describe, expect, it, vi } from "@effect/vitest"
import { MessagingTopup, MayStart } from "@messaging-topup/core"
import * as FetchTransport from "@messaging-topup/core/fetch"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { MockAgent } from "undici"
import { client, transports } from "../harness/Clients.ts"
import { turn, withoutRetryDelays } from "../harness/TestTime.ts"
import { contract, recipient, sendOne } from "../harness/Contract.ts"
import { type OnDispatch, FakeController, fakeDispatcher } from "../harness/FakeDispatcher.ts"
import { collect } from "../harness/Garbage.ts"
import { servingSockets } from "../harness/Serving.ts"

const heldBytes = () => {
  collect()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return arrayBuffers + heapUsed
}

/** Waits until a condition is true, and fails if it stays false. */
const eventually = (what: string, isSo: () => boolean) =>
  Effect.repeat(turn, { while: () => !isSo() }).pipe(
    Effect.timeoutOrElse({ duration: "5 seconds", orElse: () => Effect.die(`never ${what}`) })
  )

const send = Effect.flatMap(MessagingTopup, sendOne)

/** The service on a dispatcher that the test controls. */
const on = (carry: OnDispatch) =>
  client("http://127.0.0.1:1", NodeTransport.layerDispatcher(fakeDispatcher(carry)), {
    timeout: "5 seconds"
  })

const success = JSON.stringify(contract.listDataBundles.success)

describe("a body in chunks of one byte", () => {
  it.live("takes the memory of its bytes, not a buffer per chunk", () =>
    Effect.gen(function* () {
      const padding = 1_000_000
      let grown = 0
      const carried = on((handler, controller) => {
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
      ).pipe(Effect.provide(carried))
      expect(bundles).toEqual(contract.listDataBundles.success)
      expect(grown).toBeLessThan(10 * padding)
    })
  )
})

describe.for(transports)("over %s, a body", ([, transport]) => {
  it.live("is complete, for chunks of any length", () =>
    servingSockets({ transport }, function* (service, server) {
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
      const { category } = yield* service.listDataBundles()
      expect(category[0]?.name === name).toBe(true)
    })
  )
})

describe("compressed data", () => {
  const codings = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync }

  it.live.each(Object.entries(codings))(
    "that ends before its body does was sent, and the wait ends with the time-out: %s",
    ([name, compress]) =>
      servingSockets({ timeout: "300 millis" }, function* (service, server) {
        server.onRequest((socket) => {
          socket.write(
            `HTTP/1.1 202 Any\r\ncontent-encoding: ${name}\r\ncontent-length: 1000000\r\n\r\n`
          )
          const coded = compress(JSON.stringify(contract.sendSms.success))
          socket.write(Buffer.concat([coded, Buffer.alloc(10, "more")]))
        })
        expect(yield* Effect.flip(sendOne(service))).toMatchObject({
          _tag: "RequestTimedOut",
          status: 202,
          sendOutcome: "sent"
        })
        yield* eventually("freed", () => server.connections() === 0)
      })
  )
})

describe("a call that waits for a connection", () => {
  it.live("and is aborted leaves neither text nor token in undici's queue", () =>
    Effect.gen(function* () {
      const queue: Array<unknown> = []
      const waiting = on((_, __, options) => void queue.push(options))
      const message = "x".repeat(1_000_000)
      const before = heldBytes()
      const sending = yield* Effect.flatMap(MessagingTopup, (service) =>
        Effect.forEach(
          Array.from({ length: 20 }, (_, index) => String(index)),
          (prefix) => service.sendSms({ recipient, message: prefix + message }),
          { concurrency: "unbounded" }
        )
      ).pipe(Effect.provide(waiting), Effect.forkChild)
      yield* eventually("queued", () => queue.length === 20)
      expect(JSON.stringify(queue)).toContain(message)
      yield* Fiber.interrupt(sending)
      expect(JSON.stringify(queue)).not.toMatch(/xxx|Bearer/)
      expect(heldBytes() - before).toBeLessThan(5 * message.length)
    })
  )
})

describe("a call leaves no timer behind", () => {
  const timers = () =>
    process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length

  /** Connections of other tests may have timers, which end later. */
  const count = 20

  it.live("when it ends", () =>
    Effect.gen(function* () {
      const before = timers()
      const fails = on((handler) => handler.onResponseError(new FakeController(), new Error("no")))
      yield* Effect.repeat(Effect.flip(send), { times: count }).pipe(
        Effect.provide(fails),
        withoutRetryDelays
      )
      expect(timers()).toBeLessThan(before + count / 2)
    })
  )

  it.live("if fetch throws instead of rejecting", () =>
    Effect.gen(function* () {
      const before = timers()
      const fetch = vi.spyOn(globalThis, "fetch").mockImplementation(() => {
        throw new Error("no")
      })
      const error = yield* Effect.flip(send).pipe(
        Effect.tap(Effect.repeat(Effect.flip(send), { times: count })),
        Effect.provide(client("http://127.0.0.1:1", FetchTransport.layer))
      )
      fetch.mockRestore()
      expect(error).toMatchObject({ _tag: "ConnectionLost" })
      expect(timers()).toBeLessThan(before + count / 2)
    })
  )
})

describe("a dispatcher that responds in the same turn", () => {
  const chunks = [success.slice(0, 20), success.slice(20)] as const
  const list = Effect.flatMap(MessagingTopup, (service) => service.listDataBundles())
  const reset = Object.assign(new Error("reset"), { code: "ECONNRESET" })

  const immediate =
    (hasStart: boolean, isWhole: boolean): OnDispatch =>
    (handler, controller) => {
      if (hasStart) handler.onRequestStart(controller, {})
      handler.onResponseStart(controller, 200, {})
      handler.onResponseData(controller, Buffer.from(chunks[0]))
      if (!isWhole) return handler.onResponseError(controller, reset)
      handler.onResponseData(controller, Buffer.from(chunks[1]))
      return handler.onResponseEnd(controller, {})
    }

  it.live.each([true, false])(
    "is read like any other, and its requests count as started: %s",
    (hasStart) =>
      Effect.gen(function* () {
        expect(yield* Effect.provide(list, on(immediate(hasStart, true)))).toEqual(
          contract.listDataBundles.success
        )
        const error = yield* Effect.flip(Effect.provide(list, on(immediate(hasStart, false))))
        expect(error).toMatchObject({ _tag: "ConnectionLost", status: 200, code: "ECONNRESET" })
      })
  )

  it.live("has started what has a response, even if it never says so", () =>
    Effect.gen(function* () {
      const begins = fakeDispatcher((handler, controller) =>
        handler.onResponseStart(controller, 202, {})
      )
      const transport = NodeTransport.layerDispatcher(begins)
      const short = client("http://127.0.0.1:1", transport, { timeout: "20 millis" })
      const error = yield* Effect.flip(Effect.provide(send, short))
      expect(error).toMatchObject({ _tag: "RequestTimedOut", started: true, sendOutcome: "sent" })
    })
  )

  it.live.each([
    ["UND_ERR_DESTROYED", "ConnectionFailed"],
    ["UND_ERR_INVALID_ARG", "InvalidInput"]
  ])("sends nothing if it throws %s", ([code, tag]) =>
    Effect.gen(function* () {
      const throws = on(() => {
        throw Object.assign(new Error("cannot send it"), { code })
      })
      const error = yield* Effect.flip(Effect.provide(send, throws)).pipe(withoutRetryDelays)
      expect(error).toMatchObject({ _tag: tag, sendOutcome: "not-sent" })
    })
  )

  it.live("such as undici's MockAgent, which never reports that a request starts", () =>
    Effect.gen(function* () {
      const agent = new MockAgent()
      agent.disableNetConnect()
      agent
        .get("http://127.0.0.1:1")
        .intercept({ path: "/sms/send", method: "POST" })
        .reply(202, contract.sendSms.success)
      let starts = 0
      const sent = send.pipe(
        Effect.provideService(MayStart, () => ++starts > 0),
        Effect.provide(client("http://127.0.0.1:1", NodeTransport.layerDispatcher(agent)))
      )
      expect(yield* sent).toEqual(contract.sendSms.success)
      expect(starts).toBe(1)
    })
  )
})
