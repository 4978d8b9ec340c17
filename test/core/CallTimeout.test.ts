import { describe, expect, it } from "@effect/vitest"
import { sendOutcome, withCallTimeout } from "@messaging-topup/core"
import { createClient } from "@messaging-topup/core/promise"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { token, transports } from "../support/Clients.ts"
import { contract, recipient, text } from "../support/Contract.ts"
import { beginWith, reply, responseServer, silence } from "../support/ResponseServer.ts"
import { serving } from "../support/Serving.ts"

const request = { recipient, message: text }

describe.for(transports)("over %s, the time-out of a call", ([, transport]) => {
  it.live("keeps the status that an outer time-out loses", () =>
    serving({ transport, timeout: "1 hour" }, (service, server) =>
      Effect.gen(function* () {
        server.respondWith(beginWith(202))
        const error = yield* Effect.flip(
          service.sendSms(request).pipe(withCallTimeout("1500 millis"))
        )
        expect(error).toMatchObject({ _tag: "RequestTimedOut", status: 202 })
        expect(sendOutcome(error)).toBe("sent")
      })
    )
  )

  it.live("includes the retries", () =>
    serving({ transport, readRetries: 1000 }, (service, server) =>
      Effect.gen(function* () {
        server.respondWith(reply(503))
        const error = yield* Effect.flip(
          service.getSmsStatus("m-1").pipe(withCallTimeout("1 second"))
        )
        // The last attempt may be in flight.
        expect(["UndocumentedStatus", "RequestTimedOut"]).toContain(error._tag)
      })
    )
  )

  it.live("does not wait for a retry that would be too late", () =>
    serving({ transport, readRetries: 1 }, (service, server) =>
      Effect.gen(function* () {
        server.respondWith(reply(503, "", { "retry-after": "59" }))
        const call = service.getSmsStatus("m-1").pipe(withCallTimeout("50 seconds"))
        expect(yield* Effect.flip(call)).toMatchObject({ retryAfterSeconds: 59 })
        expect(server.received).toHaveLength(1)
      })
    )
  )

  it.live("is not the time-out of an attempt if that is shorter", () =>
    serving({ transport, timeout: "100 millis", readRetries: 0 }, (service, server) =>
      Effect.gen(function* () {
        server.respondWith(silence)
        const error = yield* Effect.flip(
          service.getSmsStatus("m-1").pipe(withCallTimeout("1 hour"))
        )
        expect(error).toMatchObject({ _tag: "RequestTimedOut", timeoutMillis: 100 })
      })
    )
  )
})

describe("the time-out of a call", () => {
  it.live("includes the token", () =>
    serving({ token: Effect.never }, (service) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(
          service.sendSms(request).pipe(withCallTimeout("50 millis"))
        )
        expect(error).toMatchObject({ _tag: "TokenUnavailable" })
      })
    )
  )

  it.live.each<Duration.Input>([0, -1, Infinity])("is refused if it is %s", (timeout) =>
    serving({}, (service, server) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(service.sendSms(request).pipe(withCallTimeout(timeout)))
        expect(error).toMatchObject({ _tag: "InvalidInput", field: "timeout" })
        expect(server.received).toEqual([])
      })
    )
  )

  it.live("is an option of the promise client's calls", () =>
    Effect.gen(function* () {
      const server = yield* responseServer
      const client = createClient({ baseUrl: server.baseUrl, token })
      server.respondWith(beginWith(202))
      const sending = client.sendSms(request, { timeoutMillis: 1500 })
      yield* Effect.promise(() =>
        expect(sending).rejects.toMatchObject({
          _tag: "RequestTimedOut",
          status: 202,
          sendOutcome: "sent"
        })
      )
      server.respondWith(reply(200, contract.getSmsStatus.success))
      for (const timeoutMillis of [0, -1, Number.NaN, Infinity]) {
        const wrong = client.getSmsStatus("m-1", { timeoutMillis })
        yield* Effect.promise(() =>
          expect(wrong).rejects.toMatchObject({ _tag: "InvalidInput", field: "timeoutMillis" })
        )
      }
      expect(server.received).toEqual([])
    })
  )
})
