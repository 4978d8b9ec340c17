/** A client that disconnects. What it sees on the wire is in `transcripts/responses.txt`. */
import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { raw, sandboxTest, send, sms } from "../harness/sandbox/Client.ts"

describe("the record of a request", () => {
  sandboxTest("has what arrived of the body, if its client disconnected", function* () {
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

  it.live("of a disconnected client ends at once: its response is interrupted", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const live = yield* Clock.Clock
      // Never ends, and records its interruption.
      const clock: Clock.Clock = Object.assign(Object.create(live), {
        sleep: () =>
          Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
      })
      const sandbox = Layer.provide(Sandbox.layer(), Layer.succeed(Clock.Clock, clock))
      yield* Effect.gen(function* () {
        const { until } = yield* Sandbox
        const fiber = yield* Effect.forkChild(send({ ...sms, recipient: "+15550000901" }))
        yield* until(({ requests }) => requests.length >= 1)
        yield* Fiber.interrupt(fiber)
        yield* Deferred.await(interrupted)
      }).pipe(Effect.provide(sandbox))
    })
  )
})
