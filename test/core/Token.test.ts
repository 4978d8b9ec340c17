import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { createClient } from "@messaging-topup/core/promise"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { contract, errorBody, recipient, text } from "../support/Contract.ts"
import { reply, responseServer } from "../support/ResponseServer.ts"
import { serving } from "../support/Serving.ts"
import { withoutRetryDelays } from "../support/TestTime.ts"

const request = { recipient, message: text }

/** Returns another token for each read: token-1, token-2 and so on. */
const rotating = () => {
  let reads = 0
  return { reads: () => reads, next: () => `token-${++reads}` }
}

describe("a token that is an effect", () => {
  it.live("is read once for each call, with its retries", () => {
    const { next, reads } = rotating()
    const token = Effect.sync(() => Redacted.make(next()))
    return serving({ token, readRetries: 1 }, (service, server) =>
      Effect.gen(function* () {
        const sent: Array<string | undefined> = []
        server.respondWith(({ headers: { authorization } }, response) => {
          sent.push(authorization)
          reply(sent.length === 1 ? 503 : 200, contract.getSmsStatus.success)(
            { method: "", url: "", headers: {}, body: "" },
            response
          )
        })
        expect(reads()).toBe(0)
        yield* service.getSmsStatus("m-1").pipe(withoutRetryDelays)
        yield* service.getSmsStatus("m-1")
        expect(sent).toEqual(["Bearer token-1", "Bearer token-1", "Bearer token-2"])
      })
    )
  })

  it.live("is removed from errors, also after it has changed", () => {
    const { next } = rotating()
    const token = Effect.sync(() => Redacted.make(next()))
    return serving({ token }, (service, server) =>
      Effect.gen(function* () {
        server.respondWith(({ headers: { authorization = "" } }, response) =>
          reply(418, `you sent ${authorization}`, { "x-request-id": authorization.slice(7) })(
            { method: "", url: "", headers: {}, body: "" },
            response
          )
        )
        const failed = Effect.flip(service.sendSms(request))
        for (const error of [yield* failed, yield* failed]) {
          expect(error).toMatchObject({ body: "you sent Bearer <redacted>" })
          expect(error).not.toHaveProperty("requestId")
        }
      })
    )
  })

  class VaultSealed extends Error {
    override readonly name = "VaultSealed"
  }

  it.live.each<readonly [why: string, token: Effect.Effect<Redacted.Redacted, unknown>]>([
    ["failed with VaultSealed", Effect.fail(new VaultSealed("the secret of the vault"))],
    ["failed with NoLease", Effect.fail({ _tag: "NoLease" })],
    ["failed with TypeError", Effect.die(new TypeError("a defect"))],
    ["failed with string", Effect.fail("a text")],
    ["printable ASCII only", Effect.succeed(Redacted.make("two\nlines"))],
    ["is not set", Effect.succeed(Redacted.make(""))]
  ])("that %s is a typed error, and nothing is sent", ([why, token]) =>
    serving({ token }, (service, server) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(service.sendSms(request))
        expect(error).toMatchObject({
          _tag: "TokenUnavailable",
          problem: expect.stringContaining(why),
          operation: "sendSms"
        })
        expect(sendOutcome(error)).toBe("not-sent")
        expect(server.received).toEqual([])
      })
    )
  )

  it.live("is not read for input that cannot be sent", () => {
    const { next, reads } = rotating()
    const token = Effect.sync(() => Redacted.make(next()))
    return serving({ token }, (service) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(service.getSmsStatus(""))
        expect(error).toMatchObject({ _tag: "InvalidInput" })
        expect(reads()).toBe(0)
      })
    )
  })
})

describe("a token that is a function, in the promise client", () => {
  it.live("is read once for each call", () =>
    Effect.gen(function* () {
      const server = yield* responseServer
      server.respondWith(reply(200, contract.getSmsStatus.success))
      const { next } = rotating()
      for (const token of [next, () => Promise.resolve(next())]) {
        const client = createClient({ baseUrl: server.baseUrl, token })
        yield* Effect.promise(() => client.getSmsStatus("m-1"))
      }
      expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
        "Bearer token-1",
        "Bearer token-2"
      ])
    })
  )

  it.live.each<readonly [how: string, token: () => Promise<string>]>([
    [
      "throws",
      () => {
        throw new RangeError("no lease")
      }
    ],
    ["rejects", () => Promise.reject(new RangeError("no lease"))]
  ])("that %s rejects the call with a typed error, and nothing is sent", ([, token]) =>
    Effect.gen(function* () {
      const server = yield* responseServer
      const client = createClient({ baseUrl: server.baseUrl, token })
      const sending = client.sendSms(request)
      yield* Effect.promise(() =>
        expect(sending).rejects.toMatchObject({
          _tag: "TokenUnavailable",
          problem: expect.stringContaining("RangeError"),
          sendOutcome: "not-sent"
        })
      )
      expect(server.received).toEqual([])
    })
  )
})

describe("MessagingTopup.make", () => {
  it.live("makes a service for each account of a program", () =>
    Effect.gen(function* () {
      const server = yield* responseServer
      const { baseUrl } = server
      server.respondWith(reply(402, errorBody(402)))
      const services = yield* Effect.forEach(["token-a", "token-b"], (token) =>
        MessagingTopup.make({ baseUrl, token: Redacted.make(token) })
      )
      yield* Effect.forEach(services, (service) => Effect.flip(service.sendSms(request)))
      expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
        "Bearer token-a",
        "Bearer token-b"
      ])
    }).pipe(Effect.provide(NodeTransport.layer))
  )

  it.effect("fails for a setting that the layer refuses", () =>
    Effect.gen(function* () {
      const made = MessagingTopup.make({ baseUrl: "example.com", token: Redacted.make("t") })
      expect(yield* Effect.flip(made)).toMatchObject({ setting: "baseUrl" })
    }).pipe(Effect.provide(Layer.orDie(NodeTransport.layer)))
  )
})
