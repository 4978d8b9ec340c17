import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup, type Transport } from "@messaging-topup/core"
import { type Fault, Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { sms } from "./support/Client.ts"

const service = Effect.flatMap(Sandbox, ({ baseUrl, token }) =>
  MessagingTopup.make({ baseUrl, token, readRetries: 0, timeout: "1 hour" })
)

const send = Effect.flatMap(service, ({ sendSms }) => sendSms(sms))

const inProcess = <A, E>(name: string, body: Effect.Effect<A, E, Sandbox | Transport>) =>
  it.effect(name, () => Effect.provide(body, Sandbox.layerInProcess()))

const failureUnder = (fault: Fault) =>
  Effect.gen(function* () {
    const { messages, requests, setFault } = yield* Sandbox
    yield* setFault(fault)
    const error = yield* Effect.flip(send)
    expect((yield* requests())[0]?.disconnected).toBe(false)
    return { error, accepted: (yield* messages()).length }
  })

describe("layerInProcess", () => {
  inProcess(
    "responds like the server",
    Effect.gen(function* () {
      const { baseUrl, messages, requests } = yield* Sandbox
      expect(baseUrl).toBe("https://sandbox.invalid")
      expect(yield* send).toMatchObject({ success: true, status: 202 })
      expect(yield* messages()).toMatchObject([{ ...sms, message_id: expect.any(String) }])
      expect(yield* requests()).toEqual([
        expect.objectContaining({
          method: "POST",
          path: "/sms/send",
          body: JSON.stringify(sms),
          disconnected: false
        })
      ])
    })
  )

  inProcess(
    "uses the clock of the test",
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 31))
      const { data } = yield* send
      const { getSmsStatus } = yield* service
      const status = yield* getSmsStatus(data[0]?.message_id ?? "")
      expect(status.data[0]?.date_created).toBe("2026-01-31T00:00:00.000Z")
    })
  )

  inProcess(
    "does not serve other hosts",
    Effect.gen(function* () {
      const { requests, token } = yield* Sandbox
      const elsewhere = yield* MessagingTopup.make({ baseUrl: "https://elsewhere.invalid", token })
      expect(yield* Effect.flip(elsewhere.sendSms(sms))).toMatchObject({ code: "ENOTFOUND" })
      expect(yield* requests()).toEqual([])
    })
  )

  const broken = [
    [{ fault: "ResetBeforeAcceptance" }, 0, {}],
    [{ fault: "ResetAfterAcceptance" }, 1, {}],
    [{ fault: "BodyCutOff" }, 1, { status: 202 }]
  ] as const
  for (const [fault, accepted, begun] of broken) {
    inProcess(
      `${fault.fault} resets as fetch sees it`,
      Effect.gen(function* () {
        expect(yield* failureUnder(fault)).toMatchObject({
          error: { _tag: "ConnectionLost", code: "ECONNRESET", ...begun },
          accepted
        })
      })
    )
  }

  for (const fault of [
    { fault: "NoResponse", accept: true },
    { fault: "HeadersThenSilence" }
  ] as const) {
    inProcess(
      `${fault.fault} lasts until the client leaves, and the sandbox hears of it`,
      Effect.gen(function* () {
        const { setFault, until } = yield* Sandbox
        yield* setFault(fault)
        const fiber = yield* Effect.forkChild(send)
        yield* until(({ requests }) => requests.length >= 1)
        yield* Fiber.interrupt(fiber)
        yield* until(({ requests }) => requests.some(({ disconnected }) => disconnected))
      })
    )
  }

  inProcess(
    "HeadersThenSilence returns the status before the time-out",
    Effect.gen(function* () {
      const { setFault, until } = yield* Sandbox
      yield* setFault({ fault: "HeadersThenSilence" })
      const fiber = yield* Effect.forkChild(Effect.flip(send))
      yield* until(({ requests }) => requests.length >= 1)
      yield* TestClock.adjust("1 hour")
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "RequestTimedOut", status: 202 })
    })
  )
})
