import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { call, raw, send, sms } from "./support/Client.ts"
import { sandboxTest } from "./support/SandboxTest.ts"

describe("requests", () => {
  sandboxTest(
    "has the request unchanged",
    Effect.gen(function* () {
      const { requests } = yield* Sandbox
      const headers = { "Content-Type": "application/json" }
      yield* call("/sms/send?a=%20b", { method: "POST", headers, body: "grüße" })
      expect(yield* requests()).toMatchObject([
        { method: "POST", path: "/sms/send?a=%20b", body: "grüße", disconnected: false }
      ])
    })
  )

  for (const path of ["/sms/a%2Fb", "/sms/%252e", "/sms/%2e%2e", "/sms/..", "//sms//x?q=%2F&&"]) {
    sandboxTest(
      `keeps the path unchanged: ${path}`,
      Effect.gen(function* () {
        const { requests } = yield* Sandbox
        yield* raw(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
        expect((yield* requests()).map((request) => request.path)).toEqual([path])
      })
    )
  }

  sandboxTest(
    "does not call a finished request disconnected when its connection closes",
    Effect.gen(function* () {
      const { requests } = yield* Sandbox
      yield* raw("GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      expect((yield* requests())[0]?.disconnected).toBe(false)
    })
  )

  sandboxTest(
    "has a request whose client disconnected during the body",
    Effect.gen(function* () {
      const { messages, until } = yield* Sandbox
      const { end } = yield* raw(
        "POST /sms/send HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\nhalf",
        (text) => text.includes("100 Continue")
      )
      expect(end).toBe("left")
      const { requests } = yield* until((kept) => kept.requests.length === 1)
      expect(requests).toMatchObject([{ body: "half", disconnected: true }])
      expect(yield* messages()).toEqual([])
    })
  )
})

describe("until", () => {
  sandboxTest(
    "waits for requests, and returns what is kept, newest first",
    Effect.gen(function* () {
      const { setFault, until } = yield* Sandbox
      yield* setFault({ fault: "NoResponse", accept: true })
      const waiting = yield* Effect.forkChild(
        until(({ messages, requests }) => messages.length === 3 && requests.length === 6)
      )
      for (const path of ["/sms/first", "/sms/second", "/sms/third"]) {
        yield* Effect.forkChild(call(path))
        yield* until(({ requests }) => requests[0]?.path === path)
      }
      yield* Effect.forkChild(Effect.all([send(), send(), send()], { concurrency: "unbounded" }))
      const { messages, requests } = yield* Fiber.join(waiting)
      expect(messages).toHaveLength(3)
      expect(requests).toHaveLength(6)
    })
  )

  sandboxTest(
    "returns at once if what it waits for has happened",
    Effect.gen(function* () {
      const { until } = yield* Sandbox
      yield* send()
      yield* send()
      expect((yield* until(({ requests }) => requests.length >= 1)).requests).toHaveLength(2)
    })
  )

  sandboxTest(
    "waits for a client that disconnects during a slow response",
    Effect.gen(function* () {
      const { messages, until } = yield* Sandbox
      const fiber = yield* Effect.forkChild(send({ ...sms, recipient: "+15550000901" }))
      yield* until(({ requests }) => requests.length >= 1)
      yield* Fiber.interrupt(fiber)
      yield* until(({ requests }) => requests.some(({ disconnected }) => disconnected))
      expect(yield* messages()).toHaveLength(1)
    })
  )

  sandboxTest(
    "waits for a status that is read or set",
    Effect.gen(function* () {
      const { setStatus, until } = yield* Sandbox
      yield* send()
      const [message] = (yield* until(({ messages }) => messages.length === 1)).messages
      const id = message?.message_id ?? ""
      for (const [change, status] of [
        [call(`/sms/${id}`), "SANDBOX_SENT"],
        [setStatus(id, "EXPIRED"), "EXPIRED"]
      ] as const) {
        const waiting = yield* Effect.forkChild(
          until(({ messages }) => messages[0]?.status === status),
          { startImmediately: true }
        )
        yield* change
        yield* Fiber.join(waiting)
      }
    })
  )
})

describe("reset", () => {
  sandboxTest(
    "deletes messages and requests, and clears the fault",
    Effect.gen(function* () {
      const { messages, requests, reset, setFault } = yield* Sandbox
      yield* send()
      const [before] = yield* messages()
      yield* setFault({ fault: "ResetBeforeAcceptance" })
      yield* reset
      expect(yield* messages()).toEqual([])
      expect(yield* requests()).toEqual([])
      expect((yield* call(`/sms/${before?.message_id}`)).status).toBe(404)
      yield* send()
      expect((yield* messages())[0]?.message_id).not.toBe(before?.message_id)
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
        const { until } = yield* Sandbox
        const fiber = yield* Effect.forkChild(slow)
        yield* until(({ requests }) => requests.length >= 1)
        yield* Fiber.interrupt(fiber)
        yield* Deferred.await(interrupted)
      }).pipe(Effect.provide(sandbox))
    })
  )
})
