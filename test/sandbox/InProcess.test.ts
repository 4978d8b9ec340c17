import { describe, expect, it } from "@effect/vitest"
import { type Fault, Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { sms } from "./support/Client.ts"

const send = Effect.fnUntraced(function* (fields: Readonly<Record<string, unknown>> = sms) {
  const { baseUrl, token } = yield* Sandbox
  const client = yield* HttpClient.HttpClient
  const request = HttpClientRequest.post(`${baseUrl}/sms/send`).pipe(
    HttpClientRequest.bearerToken(Redacted.value(token)),
    HttpClientRequest.bodyJsonUnsafe(fields)
  )
  const response = yield* client.execute(request)
  return { status: response.status, body: yield* response.text }
})

/** The error of the transport. */
const failure = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    const reason =
      typeof error === "object" && error !== null && "reason" in error ? error.reason : undefined
    const cause =
      typeof reason === "object" && reason !== null && "cause" in reason ? reason.cause : undefined
    return cause instanceof Error ? { message: cause.message, cause: cause.cause } : cause
  })

const inProcess = <A, E>(
  name: string,
  body: Effect.Effect<A, E, Sandbox | HttpClient.HttpClient>
) => it.effect(name, () => Effect.provide(body, Sandbox.layerInProcess()))

const acceptedCount = Effect.gen(function* () {
  const { messages } = yield* Sandbox
  return (yield* messages()).length
})

const under = <A, E>(fault: Fault, body: Effect.Effect<A, E, Sandbox | HttpClient.HttpClient>) =>
  Effect.gen(function* () {
    const { setFault } = yield* Sandbox
    yield* setFault(fault)
    return yield* body
  })

describe("layerInProcess", () => {
  inProcess(
    "responds like the server",
    Effect.gen(function* () {
      const { baseUrl, messages, requests } = yield* Sandbox
      expect(baseUrl).toBe("https://sandbox.invalid")
      expect((yield* send()).status).toBe(202)
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
      yield* send()
      const { baseUrl, messages, token } = yield* Sandbox
      const [message] = yield* messages()
      const response = yield* HttpClient.get(`${baseUrl}/sms/${message?.message_id}`, {
        headers: { authorization: `Bearer ${Redacted.value(token)}` }
      })
      expect(yield* response.text).toContain('"date_created":"2026-01-31T00:00:00.000Z"')
    })
  )

  inProcess(
    "does not serve other hosts",
    Effect.gen(function* () {
      const { requests } = yield* Sandbox
      expect(yield* failure(HttpClient.get("http://elsewhere.localhost/"))).toMatchObject({
        message: "fetch failed",
        cause: { code: "ENOTFOUND", syscall: "getaddrinfo" }
      })
      expect(yield* requests()).toEqual([])
    })
  )

  inProcess(
    "refuses connections with the error of fetch",
    Effect.gen(function* () {
      const { clearFault, requests } = yield* Sandbox
      expect(yield* under({ fault: "ConnectionRefused" }, failure(send()))).toMatchObject({
        message: "fetch failed",
        cause: { code: "ECONNREFUSED", syscall: "connect" }
      })
      yield* clearFault
      expect((yield* send()).status).toBe(202)
      expect(yield* requests()).toHaveLength(1)
    })
  )

  const resets = [
    [{ fault: "ResetBeforeAcceptance" }, 0],
    [{ fault: "ResetAfterAcceptance" }, 1]
  ] as const
  for (const [fault, acceptances] of resets) {
    inProcess(
      `${fault.fault} resets as fetch sees it`,
      Effect.gen(function* () {
        const { requests } = yield* Sandbox
        expect(yield* under(fault, failure(send()))).toMatchObject({
          message: "fetch failed",
          cause: { code: "ECONNRESET", syscall: "read" }
        })
        expect((yield* requests())[0]?.disconnected).toBe(false)
        expect(yield* acceptedCount).toBe(acceptances)
      })
    )
  }

  inProcess(
    "BodyCutOff fails the body with the error of fetch",
    Effect.gen(function* () {
      const { requests } = yield* Sandbox
      expect(yield* under({ fault: "BodyCutOff" }, failure(send()))).toMatchObject({
        message: "terminated",
        cause: { code: "ECONNRESET" }
      })
      expect((yield* requests())[0]?.disconnected).toBe(false)
      expect(yield* acceptedCount).toBe(1)
    })
  )

  for (const fault of [
    { fault: "NoResponse", accept: true },
    { fault: "HeadersThenSilence" },
    { fault: "EndlessBody" }
  ] as const) {
    inProcess(
      `${fault.fault} lasts until the client leaves, and the sandbox hears of it`,
      Effect.gen(function* () {
        const { setFault, until } = yield* Sandbox
        yield* setFault(fault)
        const fiber = yield* Effect.forkChild(send())
        yield* until(({ requests }) => requests.length >= 1)
        yield* Fiber.interrupt(fiber)
        yield* until(({ requests }) => requests.some(({ disconnected }) => disconnected))
      })
    )
  }

  inProcess(
    "HeadersThenSilence returns the status first, and an abort fails the body",
    Effect.gen(function* () {
      const { baseUrl, setFault, until } = yield* Sandbox
      yield* setFault({ fault: "HeadersThenSilence" })
      const client = HttpClient.withScope(yield* HttpClient.HttpClient)
      const scope = yield* Scope.make()
      const response = yield* Scope.provide(client.get(`${baseUrl}/v1/list-bundles`), scope)
      expect(response.status).toBe(401)
      const body = yield* Effect.forkChild(response.text)
      yield* Scope.close(scope, Exit.void)
      expect((yield* Fiber.await(body))._tag).toBe("Failure")
      const { requests } = yield* until((kept) =>
        kept.requests.some(({ disconnected }) => disconnected)
      )
      expect(requests[0]?.path).toBe("/v1/list-bundles")
    })
  )
})
