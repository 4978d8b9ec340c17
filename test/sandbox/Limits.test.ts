import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { call, send, sms } from "./support/Client.ts"
import { messagePage, requestPage } from "./support/Control.ts"

const few = Sandbox.layer({ maxMessages: 3, maxRequests: 2 })

describe("what a sandbox keeps", () => {
  it.live("is the newest messages and requests, and all still count", () =>
    Effect.gen(function* () {
      const { messages, requests } = yield* Sandbox
      for (let n = 1; n <= 5; n++) yield* send({ ...sms, message: `${n}` })
      expect((yield* messages()).map(({ message }) => message)).toEqual(["5", "4", "3"])
      expect((yield* requests()).map(({ body }) => JSON.parse(body).message)).toEqual(["5", "4"])
      expect(yield* messagePage()).toMatchObject({ kept: 3, accepted: 5 })
      expect(yield* requestPage()).toMatchObject({
        kept: 2,
        received: 5,
        requests: [{ id: 5 }, { id: 4 }]
      })
    }).pipe(Effect.provide(few))
  )

  it.live("does not include older messages, whose status is not found", () =>
    Effect.gen(function* () {
      yield* send()
      const { messages } = yield* messagePage()
      const id = messages[0]?.message_id
      yield* Effect.all([send(), send()])
      expect((yield* call(`/sms/${id}`)).status).toBe(200)
      yield* send()
      expect((yield* call(`/sms/${id}`)).status).toBe(404)
    }).pipe(Effect.provide(few))
  )

  for (const count of [0, -1, 1.5, Number.NaN]) {
    it.effect(`cannot be ${count}`, () =>
      Effect.gen(function* () {
        for (const options of [{ maxMessages: count }, { maxRequests: count }]) {
          const exit = yield* Effect.exit(Effect.provide(Sandbox, Sandbox.layerInProcess(options)))
          expect(exit._tag).toBe("Failure")
        }
      })
    )
  }
})
