import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup, type Transport } from "@messaging-topup/core"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { sms } from "../harness/sandbox/Client.ts"

const client = Effect.flatMap(Sandbox, ({ baseUrl, token }) =>
  MessagingTopup.make({ baseUrl, token, readRetries: 0 })
)

const send = Effect.flatMap(client, ({ sendSms }) => sendSms(sms))

const inProcess = <A, E>(name: string, body: Effect.Effect<A, E, Sandbox | Transport>) =>
  it.effect(name, () => Effect.provide(body, Sandbox.layerInProcess()))

describe("layerInProcess", () => {
  inProcess(
    "uses the clock of the test",
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 31))
      const { data } = yield* send
      const { getSmsStatus } = yield* client
      const read = yield* getSmsStatus(data[0]?.message_id ?? "")
      expect(read.data[0]?.date_created).toBe("2026-01-31T00:00:00.000Z")
    })
  )

  inProcess(
    "does not serve other hosts",
    Effect.gen(function* () {
      const { requests, token } = yield* Sandbox
      const other = yield* MessagingTopup.make({ baseUrl: "https://elsewhere.invalid", token })
      expect(yield* Effect.flip(other.sendSms(sms))).toMatchObject({ code: "ENOTFOUND" })
      expect(yield* requests()).toEqual([])
    })
  )

  inProcess(
    "Slow responds when the clock of the test says so",
    Effect.gen(function* () {
      const { setFault, until } = yield* Sandbox
      yield* setFault({ fault: "Slow", seconds: 20 })
      const fiber = yield* Effect.forkChild(send)
      yield* until(({ messages }) => messages.length === 1)
      yield* TestClock.adjust("20 seconds")
      expect((yield* Fiber.join(fiber)).data).toHaveLength(1)
    })
  )
})
