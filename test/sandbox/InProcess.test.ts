import { describe, expect, it } from "@effect/vitest"
import { Fault, Sandbox } from "@messaging-topup/sandbox"
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
  const { accepted } = yield* Sandbox
  return (yield* accepted).length
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
      const { accepted, baseUrl, received } = yield* Sandbox
      expect(baseUrl).toBe("https://sandbox.invalid")
      expect((yield* send()).status).toBe(202)
      expect(yield* accepted).toEqual([{ ...sms, message_id: expect.any(String) }])
      expect(yield* received).toEqual([
        expect.objectContaining({
          method: "POST",
          url: "/sms/send",
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
      const { accepted, baseUrl, token } = yield* Sandbox
      const [message] = yield* accepted
      const response = yield* HttpClient.get(`${baseUrl}/sms/${message?.message_id}`, {
        headers: { authorization: `Bearer ${Redacted.value(token)}` }
      })
      expect(yield* response.text).toContain('"date_created":"2026-01-31T00:00:00.000Z"')
    })
  )

  inProcess(
    "does not serve other hosts",
    Effect.gen(function* () {
      const { received } = yield* Sandbox
      expect(yield* failure(HttpClient.get("http://elsewhere.localhost/"))).toMatchObject({
        message: "fetch failed",
        cause: { code: "ENOTFOUND", syscall: "getaddrinfo" }
      })
      expect(yield* received).toEqual([])
    })
  )

  inProcess(
    "refuses connections with the error of fetch",
    Effect.gen(function* () {
      const { clearFault, received } = yield* Sandbox
      expect(yield* under(Fault.ConnectionRefused(), failure(send()))).toMatchObject({
        message: "fetch failed",
        cause: { code: "ECONNREFUSED", syscall: "connect" }
      })
      yield* clearFault
      expect((yield* send()).status).toBe(202)
      expect(yield* received).toHaveLength(1)
    })
  )

  const resets = [
    [Fault.ResetBeforeAcceptance(), 0],
    [Fault.ResetAfterAcceptance(), 1]
  ] as const
  for (const [fault, acceptances] of resets) {
    inProcess(
      `${fault.fault} resets as fetch sees it`,
      Effect.gen(function* () {
        const { received } = yield* Sandbox
        expect(yield* under(fault, failure(send()))).toMatchObject({
          message: "fetch failed",
          cause: { code: "ECONNRESET", syscall: "read" }
        })
        expect((yield* received)[0]?.disconnected).toBe(false)
        expect(yield* acceptedCount).toBe(acceptances)
      })
    )
  }

  inProcess(
    "BodyCutOff fails the body with the error of fetch",
    Effect.gen(function* () {
      const { received } = yield* Sandbox
      expect(yield* under(Fault.BodyCutOff(), failure(send()))).toMatchObject({
        message: "terminated",
        cause: { code: "ECONNRESET" }
      })
      expect((yield* received)[0]?.disconnected).toBe(false)
      expect(yield* acceptedCount).toBe(1)
    })
  )

  for (const fault of [
    Fault.NoResponse({ accept: true }),
    Fault.HeadersThenSilence(),
    Fault.EndlessBody()
  ]) {
    inProcess(
      `${fault.fault} lasts until the client leaves, and the sandbox hears of it`,
      Effect.gen(function* () {
        const { awaitReceived, nextDisconnect, setFault } = yield* Sandbox
        yield* setFault(fault)
        const fiber = yield* Effect.forkChild(send())
        yield* awaitReceived(1)
        yield* Fiber.interrupt(fiber)
        expect((yield* nextDisconnect).disconnected).toBe(true)
      })
    )
  }

  inProcess(
    "HeadersThenSilence returns the status first, and an abort fails the body",
    Effect.gen(function* () {
      const { baseUrl, nextDisconnect, setFault } = yield* Sandbox
      yield* setFault(Fault.HeadersThenSilence())
      const client = HttpClient.withScope(yield* HttpClient.HttpClient)
      const scope = yield* Scope.make()
      const response = yield* Scope.provide(client.get(`${baseUrl}/v1/list-bundles`), scope)
      expect(response.status).toBe(401)
      const body = yield* Effect.forkChild(response.text)
      yield* Scope.close(scope, Exit.void)
      expect((yield* Fiber.await(body))._tag).toBe("Failure")
      expect((yield* nextDisconnect).url).toBe("/v1/list-bundles")
    })
  )
})
