import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup, type Transport } from "@messaging-topup/core"
import { Sandbox, type SandboxFault } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { sms } from "./support/Client.ts"

const client = Effect.flatMap(Sandbox, ({ baseUrl, token }) =>
  MessagingTopup.make({ baseUrl, token, readRetries: 0 })
)

const send = Effect.flatMap(client, ({ sendSms }) => sendSms(sms))

const inProcess = <A, E>(name: string, body: Effect.Effect<A, E, Sandbox | Transport>) =>
  it.effect(name, () => Effect.provide(body, Sandbox.layerInProcess()))

describe("layerInProcess", () => {
  inProcess(
    "responds like the server",
    Effect.gen(function* () {
      const { baseUrl, messages, requests } = yield* Sandbox
      expect(baseUrl).toBe("https://sandbox.invalid")
      const { data } = yield* send
      expect(yield* messages()).toMatchObject([{ ...sms, message_id: data[0]?.message_id }])
      expect(yield* requests()).toMatchObject([
        { method: "POST", path: "/sms/send", body: JSON.stringify(sms), disconnected: false }
      ])
    })
  )

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

  const lost: ReadonlyArray<readonly [fault: SandboxFault, accepted: number, code: string]> = [
    [{ fault: "ResetBeforeAcceptance" }, 0, "ECONNRESET"],
    [{ fault: "ResetAfterAcceptance" }, 1, "ECONNRESET"],
    [{ fault: "BodyCutOff" }, 1, "ECONNRESET"]
  ]
  for (const [fault, accepted, code] of lost) {
    inProcess(
      `${fault.fault} fails as with fetch`,
      Effect.gen(function* () {
        const { messages, requests, setFault } = yield* Sandbox
        yield* setFault(fault)
        expect(yield* Effect.flip(send)).toMatchObject({ _tag: "ConnectionLost", code })
        expect((yield* requests())[0]?.disconnected).toBe(false)
        expect(yield* messages()).toHaveLength(accepted)
      })
    )
  }

  for (const fault of [
    { fault: "NoResponse", accept: true },
    { fault: "HeadersThenSilence" },
    { fault: "Slow", seconds: 60 }
  ] as const) {
    inProcess(
      `${fault.fault} lasts until the client leaves, and the sandbox hears of it`,
      Effect.gen(function* () {
        const { messages, setFault, until } = yield* Sandbox
        yield* setFault(fault)
        const fiber = yield* Effect.forkChild(send)
        yield* until(({ messages: accepted }) => accepted.length === 1)
        yield* Fiber.interrupt(fiber)
        yield* until(({ requests }) => requests[0]?.disconnected === true)
        expect(yield* messages()).toHaveLength(1)
      })
    )
  }

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
