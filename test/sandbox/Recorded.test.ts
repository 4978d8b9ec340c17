import { describe, expect, it } from "@effect/vitest"
import { Fault, Sandbox } from "@messaging-topup/sandbox"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { call, raw, send, sms } from "./support/Client.ts"
import { sandboxTest } from "./support/SandboxTest.ts"

describe("received", () => {
  sandboxTest(
    "has the request unchanged",
    Effect.gen(function* () {
      const { received } = yield* Sandbox
      const headers = { "Content-Type": "application/json", "X-Twice": "1" }
      yield* call("/sms/send?a=%20b", { method: "POST", headers, body: "grüße" })
      expect(yield* received).toEqual([
        {
          method: "POST",
          url: "/sms/send?a=%20b",
          headers: expect.objectContaining({ "content-type": "application/json", "x-twice": "1" }),
          body: "grüße",
          disconnected: false
        }
      ])
    })
  )

  for (const path of ["/sms/a%2Fb", "/sms/%252e", "/sms/%2e%2e", "/sms/..", "//sms//x?q=%2F&&"]) {
    sandboxTest(
      `keeps the path unchanged: ${path}`,
      Effect.gen(function* () {
        const { received } = yield* Sandbox
        yield* raw(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
        expect((yield* received).map(({ url }) => url)).toEqual([path])
      })
    )
  }

  sandboxTest(
    "joins a header that is sent twice",
    Effect.gen(function* () {
      const { received } = yield* Sandbox
      yield* raw(
        "GET /x HTTP/1.1\r\nHost: localhost\r\nX-A: 1\r\nX-A: 2\r\nConnection: close\r\n\r\n"
      )
      expect((yield* received)[0]?.headers).toMatchObject({ "x-a": "1, 2" })
    })
  )

  sandboxTest(
    "does not call a finished request disconnected when its connection closes",
    Effect.gen(function* () {
      const { received } = yield* Sandbox
      yield* raw("GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      expect((yield* received)[0]?.disconnected).toBe(false)
    })
  )

  sandboxTest(
    "has a request whose client disconnected during the body",
    Effect.gen(function* () {
      const { accepted, nextDisconnect } = yield* Sandbox
      const { end } = yield* raw(
        "POST /sms/send HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\nhalf",
        (text) => text.includes("100 Continue")
      )
      expect(end).toBe("left")
      expect(yield* nextDisconnect).toMatchObject({ body: "half", disconnected: true })
      expect(yield* accepted).toEqual([])
    })
  )
})

describe("awaitReceived", () => {
  sandboxTest(
    "waits for the given number of requests",
    Effect.gen(function* () {
      const { awaitReceived, setFault } = yield* Sandbox
      yield* setFault(Fault.NoResponse({}))
      const waiting = yield* Effect.forkChild(awaitReceived(3))
      yield* Effect.forkChild(Effect.all([send(), send(), send()], { concurrency: "unbounded" }))
      const requests = yield* Fiber.join(waiting)
      expect(requests.map(({ body }) => body)).toEqual(Array(3).fill(JSON.stringify(sms)))
    })
  )

  sandboxTest(
    "returns at once if the requests have arrived",
    Effect.gen(function* () {
      const { awaitReceived } = yield* Sandbox
      yield* send()
      yield* send()
      expect(yield* awaitReceived(1)).toHaveLength(2)
    })
  )
})

describe("nextDisconnect", () => {
  sandboxTest(
    "returns each disconnect once, in order, also earlier ones",
    Effect.gen(function* () {
      const { awaitReceived, nextDisconnect, setFault } = yield* Sandbox
      yield* setFault(Fault.NoResponse({}))
      for (const [index, path] of ["/sms/first", "/sms/second"].entries()) {
        const fiber = yield* Effect.forkChild(call(path))
        yield* awaitReceived(index + 1)
        yield* Fiber.interrupt(fiber)
      }
      expect((yield* nextDisconnect).url).toBe("/sms/first")
      expect((yield* nextDisconnect).url).toBe("/sms/second")
    })
  )

  sandboxTest(
    "returns a client that disconnects during a slow response",
    Effect.gen(function* () {
      const { accepted, awaitReceived, nextDisconnect } = yield* Sandbox
      const fiber = yield* Effect.forkChild(send({ ...sms, recipient: "+15550000901" }))
      yield* awaitReceived(1)
      yield* Fiber.interrupt(fiber)
      expect((yield* nextDisconnect).disconnected).toBe(true)
      expect(yield* accepted).toHaveLength(1)
    })
  )
})

describe("reset", () => {
  sandboxTest(
    "deletes messages and requests, clears the fault and opens a closed listener",
    Effect.gen(function* () {
      const { accepted, received, reset, setFault } = yield* Sandbox
      yield* send()
      const [before] = yield* accepted
      yield* setFault(Fault.ConnectionRefused())
      yield* reset
      expect(yield* accepted).toEqual([])
      expect(yield* received).toEqual([])
      expect((yield* call(`/sms/${before?.message_id}`)).status).toBe(404)
      yield* send()
      expect((yield* accepted)[0]?.message_id).not.toBe(before?.message_id)
    })
  )
})

describe("a response to a disconnected client", () => {
  const slow = send({ ...sms, recipient: "+15550000901" })

  it.live("is interrupted", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const live = yield* Clock.Clock
      // Never ends, and records its interruption.
      const clock: Clock.Clock = {
        currentTimeMillis: live.currentTimeMillis,
        currentTimeMillisUnsafe: () => live.currentTimeMillisUnsafe(),
        currentTimeNanos: live.currentTimeNanos,
        currentTimeNanosUnsafe: () => live.currentTimeNanosUnsafe(),
        monotonicTimeNanos: live.monotonicTimeNanos,
        monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
        sleep: () =>
          Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
      }
      const sandbox = Layer.provide(Sandbox.layer(), Layer.succeed(Clock.Clock, clock))
      yield* Effect.gen(function* () {
        const { awaitReceived } = yield* Sandbox
        const fiber = yield* Effect.forkChild(slow)
        yield* awaitReceived(1)
        yield* Fiber.interrupt(fiber)
        yield* Deferred.await(interrupted)
      }).pipe(Effect.provide(sandbox))
    })
  )
})
