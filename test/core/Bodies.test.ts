import { describe, expect, it, vi } from "@effect/vitest"
import { MessagingTopup, OnRequestStart } from "@messaging-topup/core"
import * as FetchTransport from "@messaging-topup/core/fetch"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { Transform } from "node:stream"
import v8 from "node:v8"
import vm from "node:vm"
import { MockAgent } from "undici"
import { changed, client, transports, unchanged } from "../support/Clients.ts"
import { turn, withoutRetryDelays } from "../support/TestTime.ts"
import { contract, recipient, text } from "../support/Contract.ts"
import { type OnDispatch, FakeController, fakeDispatcher } from "../support/FakeDispatcher.ts"
import { responseText, socketServer } from "../support/SocketServer.ts"

v8.setFlagsFromString("--expose-gc")
const gc: () => void = vm.runInNewContext("gc")

const heldBytes = () => {
  gc()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return arrayBuffers + heapUsed
}

/** Waits until a condition is true, and fails if it stays false. */
const eventually = (what: string, isSo: () => boolean) =>
  Effect.repeat(turn, { while: () => !isSo() }).pipe(
    Effect.timeoutOrElse({ duration: "5 seconds", orElse: () => Effect.die(`never ${what}`) })
  )

const send = Effect.flatMap(MessagingTopup, (service) =>
  service.sendSms({ recipient, message: text })
)

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

it.live("a reader that pauses gets no empty chunk after each resume", () =>
  Effect.gen(function* () {
    let [resumed, isEnded] = [0, false]
    const inParts: OnDispatch = (handler, controller) => {
      handler.onRequestStart(controller, {})
      handler.onResponseStart(controller, 200, {})
      // undici starts each resume with an empty chunk.
      controller.resume = () => {
        if (!controller.paused || resumed++ > 100) return
        controller.paused = false
        handler.onResponseData(controller, Buffer.alloc(0))
        if (controller.paused || isEnded) return
        isEnded = true
        handler.onResponseData(controller, Buffer.from("last"))
        handler.onResponseEnd(controller, {})
      }
      // The reader waits for the first chunk. The second one fills the buffer.
      setImmediate(() => {
        handler.onResponseData(controller, Buffer.alloc(100_000))
        handler.onResponseData(controller, Buffer.alloc(100_000))
      })
    }
    const http = yield* HttpClient.HttpClient.pipe(
      Effect.provide(NodeTransport.layerDispatcher(fakeDispatcher(inParts)))
    )
    const response = yield* http.get("http://127.0.0.1:1")
    const lengths = new Array<number>()
    yield* Stream.runForEach(response.stream, ({ length }) =>
      Effect.sync(() => void lengths.push(length))
    )
    expect(lengths).toEqual([100_000, 100_000, 4])
    expect(resumed).toBe(1)
  })
)

const gzipped = { "content-encoding": "gzip" }

describe("compressed data", () => {
  it.live("that gives no output pauses the body", () =>
    Effect.gen(function* () {
      // An endless sequence of empty deflate blocks.
      const blocks = Buffer.concat(
        Array.from({ length: 13_000 }, () => Buffer.of(0, 0, 0, 255, 255))
      )
      let [fed, most] = [0, 0]
      const feeding = on((handler, controller) => {
        handler.onRequestStart(controller, {})
        handler.onResponseStart(controller, 202, { "content-encoding": "deflate" })
        handler.onResponseData(controller, Buffer.of(0x78, 0x9c))
        const feed = () => {
          let inOneTurn = 0
          while (!controller.paused && inOneTurn < 10_000_000) {
            handler.onResponseData(controller, blocks)
            inOneTurn += blocks.length
          }
          fed += inOneTurn
          most = Math.max(most, inOneTurn)
          if (!controller.aborted) setImmediate(feed)
        }
        feed()
      })
      const sending = yield* Effect.forkChild(Effect.provide(send, feeding))
      // The body continues while the data is decoded, with pauses.
      yield* eventually("went on", () => fed > 20 * blocks.length)
      expect(most).toBeLessThan(3 * blocks.length)
      yield* Fiber.interrupt(sending)
    })
  )

  const codings = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync }

  it.live.each(Object.entries(codings))(
    "that ends before the body does frees the connection: %s",
    ([name, compress]) =>
      Effect.gen(function* () {
        const server = yield* socketServer
        server.onRequest((socket) => {
          socket.write(
            `HTTP/1.1 202 Any\r\ncontent-encoding: ${name}\r\ncontent-length: 1000000\r\n\r\n`
          )
          const coded = compress(JSON.stringify(contract.sendSms.success))
          socket.write(Buffer.concat([coded, Buffer.alloc(10, name === "gzip" ? 0 : "more")]))
        })
        yield* Effect.gen(function* () {
          expect(yield* send).toEqual(contract.sendSms.success)
          yield* eventually("freed", () => server.connections() === 0)
        }).pipe(Effect.provide(client(server.baseUrl)))
      })
  )

  it.live("that ends together with the body leaves the connection for the next call", () =>
    Effect.gen(function* () {
      const server = yield* socketServer
      const body = gzipSync(JSON.stringify(contract.sendSms.success))
      server.onRequest((socket) => {
        socket.write(
          "HTTP/1.1 202 Any\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n"
        )
        socket.write(`${body.length.toString(16)}\r\n`)
        socket.write(body)
        setTimeout(() => socket.write("\r\n0\r\n\r\n"), 50)
      })
      yield* Effect.gen(function* () {
        yield* send
        yield* Effect.sleep("200 millis")
        yield* send
        expect(server.maxConnections()).toBe(1)
      }).pipe(Effect.provide(client(server.baseUrl)))
    })
  )

  it.live("that is invalid aborts the request", () =>
    Effect.gen(function* () {
      let isAborted = () => false
      const broken = on((handler, controller) => {
        isAborted = () => controller.aborted
        handler.onRequestStart(controller, {})
        handler.onResponseStart(controller, 202, gzipped)
        handler.onResponseData(controller, Buffer.from("not gzip at all"))
      })
      const error = yield* Effect.flip(Effect.provide(send, broken))
      expect(error).toMatchObject({ _tag: "ConnectionLost", status: 202 })
      yield* eventually("aborted", isAborted)
    })
  )

  it.live("is no longer decoded after the call was aborted", () =>
    Effect.gen(function* () {
      const destroy = vi.spyOn(Transform.prototype, "destroy")
      let isBegun = false
      const stalled = on((handler, controller) => {
        handler.onRequestStart(controller, {})
        handler.onResponseStart(controller, 202, gzipped)
        handler.onResponseData(controller, gzipSync("{}").subarray(0, -2))
        isBegun = true
      })
      const sending = yield* Effect.forkChild(Effect.provide(send, stalled))
      yield* eventually("began", () => isBegun)
      expect(destroy).not.toHaveBeenCalled()
      yield* Fiber.interrupt(sending)
      expect(destroy).toHaveBeenCalledOnce()
      destroy.mockRestore()
    })
  )

  it.live("is paused by a slow reader", () =>
    Effect.gen(function* () {
      const total = 50_000_000
      const body = gzipSync(Buffer.alloc(total, "x"))
      const whole: OnDispatch = (handler, controller) => {
        handler.onRequestStart(controller, {})
        handler.onResponseStart(controller, 200, gzipped)
        handler.onResponseData(controller, body)
        handler.onResponseEnd(controller, {})
      }
      // Memory of the decoder is not free at once.
      heldBytes()
      yield* Effect.sleep("50 millis")
      const before = heldBytes()
      const http = yield* HttpClient.HttpClient.pipe(
        Effect.provide(NodeTransport.layerDispatcher(fakeDispatcher(whole)))
      )
      const response = yield* http.get("http://127.0.0.1:1")
      const pull = yield* Stream.toPull(response.stream)
      const count = Effect.map(pull, (chunks) =>
        chunks.reduce((sum, { length }) => sum + length, 0)
      )
      let read = yield* count
      yield* Effect.sleep("200 millis")
      expect(heldBytes() - before).toBeLessThan(total / 10)
      yield* Effect.forever(Effect.map(count, (length) => void (read += length))).pipe(
        Pull.catchDone(() => Effect.void)
      )
      expect(read).toBe(total)
    }).pipe(Effect.scoped)
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

  const wrapped = (carry: OnDispatch) => {
    const transport = NodeTransport.layerDispatcher(fakeDispatcher(carry))
    return client("http://127.0.0.1:1", changed(transport, unchanged))
  }

  it.live.each([
    ["plain", true, on],
    ["plain", false, on],
    ["wrapped", true, wrapped],
    ["wrapped", false, wrapped]
  ] as const)(
    "is read like any other, and its requests count as started: %s, %s",
    ([, hasStart, over]) =>
      Effect.gen(function* () {
        expect(yield* Effect.provide(list, over(immediate(hasStart, true)))).toEqual(
          contract.listDataBundles.success
        )
        const error = yield* Effect.flip(Effect.provide(list, over(immediate(hasStart, false))))
        expect(error).toMatchObject({ _tag: "ConnectionLost", status: 200, code: "ECONNRESET" })
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
        Effect.provideService(OnRequestStart, () => ++starts > 0),
        Effect.provide(client("http://127.0.0.1:1", NodeTransport.layerDispatcher(agent)))
      )
      expect(yield* sent).toEqual(contract.sendSms.success)
      expect(starts).toBe(1)
    })
  )
})

describe("an unread response", () => {
  /** A wrapper retries reads and drops all responses except the last. */
  const retrying = changed(
    NodeTransport.layerOptions({ connections: 2 }),
    HttpClient.retryTransient({ times: 3, retryOn: "errors-and-responses" })
  )

  it.live.each([0, 4, 60_000])("of %i bytes frees its connection at its end", (length) =>
    Effect.gen(function* () {
      const server = yield* socketServer
      server.onRequest((socket, nth) =>
        socket.write(
          server.received[nth - 1]?.startsWith("GET /sms/bad") === true
            ? responseText(503, "x".repeat(length))
            : responseText(200, contract.getSmsStatus.success)
        )
      )
      yield* Effect.gen(function* () {
        const service = yield* MessagingTopup
        yield* Effect.flip(service.getSmsStatus("bad"))
        yield* Effect.flip(service.getSmsStatus("bad"))
        expect(yield* service.getSmsStatus("good")).toEqual(contract.getSmsStatus.success)
      }).pipe(Effect.provide(client(server.baseUrl, retrying, { timeout: "2 seconds" })))
    })
  )

  it.live("frees its connection when its scope closes", () =>
    Effect.gen(function* () {
      const server = yield* socketServer
      server.onRequest((socket) => socket.write(responseText(200, "x".repeat(3_000_000))))
      const http = yield* HttpClient.HttpClient
      const scoped = HttpClient.withScope(http)
      for (let nth = 1; nth <= 3; nth++) {
        const { status } = yield* Effect.scoped(scoped.get(server.baseUrl))
        expect(status).toBe(200)
        yield* eventually("freed", () => server.connections() === 0)
      }
    }).pipe(Effect.provide(NodeTransport.layerOptions({ connections: 1 })))
  )
})
