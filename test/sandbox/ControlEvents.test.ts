import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { connect } from "node:net"
import { setImmediate } from "node:timers/promises"
import { call, send, sms } from "./support/Client.ts"
import { ask, messagePage, problem, requestPage, setFault, tell } from "./support/Control.ts"
import { readEvents } from "./support/Events.ts"
import { sandboxTest } from "./support/SandboxTest.ts"

describe("GET /_sandbox/events", () => {
  sandboxTest(
    "is an event stream that begins with a comment",
    Effect.gen(function* () {
      const { response, stream } = yield* readEvents()
      expect(response.status).toBe(200)
      expect(response.headers.get("content-type")).toBe("text/event-stream")
      expect(response.headers.get("cache-control")).toBe("no-store")
      expect(yield* stream.block).toMatch(/^: /)
      yield* stream.leave
    })
  )

  sandboxTest(
    "sends new messages and their requests, with the content of the lists",
    Effect.gen(function* () {
      const { stream } = yield* readEvents()
      yield* send({ ...sms, message: "<b>line\none</b>\u2028" })
      const events = [yield* stream.next, yield* stream.next]
      expect(events).toEqual([
        { event: "message", data: (yield* messagePage()).messages[0] },
        { event: "request", data: (yield* requestPage()).requests[0] }
      ])
      yield* stream.leave
    })
  )

  sandboxTest(
    "sends the status that a read or the control endpoint changed",
    Effect.gen(function* () {
      yield* send()
      const { messages } = yield* messagePage()
      const id = messages[0]?.message_id
      const { stream } = yield* readEvents()
      yield* call(`/sms/${id}`)
      const sent = { message_id: id, status: "SANDBOX_SENT" }
      expect(yield* stream.next).toMatchObject({ event: "message", data: sent })
      expect((yield* stream.next).event).toBe("request")
      yield* tell("POST", `/messages/${id}/status`, { status: "FAILED" })
      const failed = { message_id: id, status: "FAILED" }
      expect(yield* stream.next).toMatchObject({ event: "message", data: failed })
      // It changes nothing.
      yield* call(`/sms/${id}`)
      expect(yield* stream.next).toMatchObject({
        event: "request",
        data: { path: `/sms/${id}`, status: 200 }
      })
      yield* stream.leave
    })
  )

  sandboxTest(
    "sends a fault that is set, counted down, used up or cleared",
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const { stream } = yield* readEvents()
      const fault = { fault: "Response", status: 503, body: "", headers: {} } as const
      yield* setFault({ ...fault, times: 2 })
      expect(yield* stream.next).toEqual({
        event: "fault",
        data: { fault: { ...fault, times: 2 } }
      })
      yield* send()
      expect(yield* stream.next).toEqual({
        event: "fault",
        data: { fault: { ...fault, times: 1 } }
      })
      expect((yield* stream.next).event).toBe("request")
      yield* send()
      expect(yield* stream.next).toEqual({ event: "fault", data: { fault: null } })
      expect((yield* stream.next).event).toBe("request")
      yield* sandbox.setFault({ fault: "ConnectionRefused" })
      expect(yield* stream.next).toEqual({
        event: "fault",
        data: { fault: { fault: "ConnectionRefused" } }
      })
      yield* sandbox.clearFault
      expect(yield* stream.next).toEqual({ event: "fault", data: { fault: null } })
      // There is nothing to clear.
      yield* ask("/fault", { method: "DELETE" })
      yield* call("/last")
      expect(yield* stream.next).toMatchObject({ event: "request", data: { path: "/last" } })
      yield* stream.leave
    })
  )

  sandboxTest(
    "says what was deleted",
    Effect.gen(function* () {
      const { reset } = yield* Sandbox
      const { stream } = yield* readEvents()
      yield* ask("/messages", { method: "DELETE" })
      yield* ask("/requests", { method: "DELETE" })
      yield* reset
      const events = [yield* stream.next, yield* stream.next, yield* stream.next]
      expect(events.map(({ data }) => data)).toEqual([
        { messages: true, requests: false },
        { messages: false, requests: true },
        { messages: true, requests: true }
      ])
      expect(new Set(events.map(({ event }) => event))).toEqual(new Set(["cleared"]))
      yield* stream.leave
    })
  )

  sandboxTest(
    "sends a request when it ends, also if its client disconnects",
    Effect.gen(function* () {
      const { until } = yield* Sandbox
      yield* setFault({ fault: "NoResponse" })
      const { stream } = yield* readEvents()
      const fiber = yield* Effect.forkChild(send())
      yield* until(({ requests }) => requests.length >= 1)
      fiber.interruptUnsafe()
      expect(yield* stream.next).toMatchObject({
        event: "request",
        data: { fault: "NoResponse", disconnected: true }
      })
      yield* stream.leave
    })
  )

  sandboxTest(
    "ends for all readers when the sandbox closes",
    Effect.gen(function* () {
      const { stream } = yield* Effect.provide(readEvents(), Sandbox.layer())
      expect(yield* stream.drain).toBeLessThan(100)
    })
  )

  sandboxTest(
    "does not start for HEAD",
    Effect.gen(function* () {
      for (let n = 0; n < 70; n++) {
        expect((yield* ask("/events", { method: "HEAD" })).status).toBe(200)
      }
      expect((yield* readEvents()).response.status).toBe(200)
    })
  )
})

describe("many readers", () => {
  sandboxTest(
    "can be replaced: 50 leave and 50 others connect",
    Effect.gen(function* () {
      const open = (count: number) =>
        Effect.all(Array.from({ length: count }, readEvents), { concurrency: "unbounded" })
      const leave = (readers: Effect.Success<ReturnType<typeof open>>) =>
        Effect.forEach(readers, ({ stream }) => stream.leave)
      yield* leave(yield* open(50))
      for (;;) {
        const readers = yield* open(64)
        if (readers.every(({ response }) => response.status === 200)) {
          yield* send()
          for (const { stream } of readers) expect((yield* stream.next).event).toBe("message")
          return yield* leave(readers)
        }
        // The sandbox has not yet seen all of them leave.
        yield* leave(readers)
        yield* Effect.promise(() => setImmediate())
      }
    })
  )

  sandboxTest(
    "beyond 64 are refused with 503, and the others continue",
    Effect.gen(function* () {
      const readers = yield* Effect.all(Array.from({ length: 64 }, readEvents), {
        concurrency: "unbounded"
      })
      expect(problem(yield* ask("/events"))).toMatchObject({
        status: 503,
        bodyStatus: 503,
        detail: expect.stringContaining("close one of them")
      })
      yield* send()
      for (const { stream } of readers) expect((yield* stream.next).event).toBe("message")
      yield* Effect.forEach(readers, ({ stream }) => stream.leave)
    })
  )
})

describe("a reader that does not read", () => {
  const request = "GET /_sandbox/events HTTP/1.1\r\nHost: localhost\r\n\r\n"

  /** Opens the stream, and reads nothing more once the headers are there. */
  const lazy = Effect.gen(function* () {
    const { baseUrl } = yield* Sandbox
    const { hostname, port } = new URL(baseUrl)
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(request))
    const closed = new Promise<void>((resolve) => {
      socket.once("close", () => resolve())
      socket.once("error", () => resolve())
    })
    yield* Effect.promise(() => new Promise<void>((resolve) => socket.once("readable", resolve)))
    return { socket, closed }
  })

  sandboxTest(
    "is disconnected, and the others continue",
    Effect.gen(function* () {
      const idle = yield* lazy
      const { stream } = yield* readEvents()
      // More than what waits for a reader and what the system takes on the way.
      const message = "x".repeat(1_000_000)
      for (let n = 0; n < 20; n++) {
        yield* send({ ...sms, message })
        expect((yield* stream.next).event).toBe("message")
        expect((yield* stream.next).event).toBe("request")
      }
      // It hears of it when it writes, here the empty lines that may stand before a next request.
      const writing = Effect.forever(
        Effect.andThen(
          Effect.sync(() => idle.socket.write("\r\n")),
          Effect.promise(() => setImmediate())
        )
      )
      yield* Effect.raceFirst(
        Effect.promise(() => idle.closed),
        writing
      )
      yield* stream.leave
    })
  )
})

describe("the heartbeat", () => {
  // Every sleep ends at the next turn of the event loop.
  const fast = Layer.effect(
    Clock.Clock,
    Effect.map(Clock.Clock, (live) => ({
      ...live,
      currentTimeMillisUnsafe: () => live.currentTimeMillisUnsafe(),
      currentTimeNanosUnsafe: () => live.currentTimeNanosUnsafe(),
      monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
      sleep: () => Effect.promise(() => setImmediate())
    }))
  )

  it.live("is a comment that repeats", () =>
    Effect.gen(function* () {
      const { stream } = yield* readEvents()
      for (let beat = 0; beat < 5; beat++) expect(yield* stream.block).toMatch(/^: \w/)
      yield* stream.leave
    }).pipe(Effect.provide(Layer.provide(Sandbox.layer(), fast)))
  )
})
