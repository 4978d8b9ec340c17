import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup, type MessagingTopupOptions } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { contract, operationNames, recipient, text } from "../harness/Contract.ts"
import { requirement } from "../harness/requirements.ts"

/** The client and the sandbox that it calls. */
const together = (options: Partial<MessagingTopupOptions> = {}) =>
  Layer.unwrap(
    Effect.map(Sandbox, ({ baseUrl, token }) =>
      MessagingTopup.layer({ baseUrl, token, readRetries: 0, ...options })
    )
  ).pipe(Layer.provide(NodeTransport.layer), Layer.provideMerge(Sandbox.layer()))

const message = { recipient, message: text }

describe.concurrent("the client", () => {
  it.live("a sent SMS is accepted once, unchanged, and its status can be read", () =>
    Effect.gen(function* () {
      const service = yield* MessagingTopup
      const sandbox = yield* Sandbox
      const { data } = yield* service.sendSms({ ...message, sender_id: "ACME" })
      expect(data).toHaveLength(1)
      const message_id = data[0]?.message_id ?? ""
      expect(yield* sandbox.messages()).toEqual([
        expect.objectContaining({ ...message, sender_id: "ACME", message_id })
      ])
      const read = yield* service.getSmsStatus(message_id)
      expect(read.data).toMatchObject([{ recipient, message_id, sender_id: "ACME" }])
    }).pipe(Effect.provide(together()))
  )

  it.live("every sample record and the list of bundles can be read", () =>
    Effect.gen(function* () {
      const service = yield* MessagingTopup
      for (const code of ["AIR-1001", "AIR-1002"]) {
        expect((yield* service.getAirtimeStatus(code)).data).toHaveLength(1)
      }
      for (const code of ["DATA-2001", "DATA-2002"]) {
        expect(yield* service.getDataBundleStatus(code)).toHaveProperty("transaction_id")
      }
      const query = { network: ["x", "y"] }
      for (const { category } of [
        yield* service.listDataBundles(),
        yield* service.listDataBundles({ query })
      ]) {
        expect(category).toHaveLength(12)
      }
    }).pipe(Effect.provide(together()))
  )

  it.live(requirement("5-401"), () =>
    Effect.gen(function* () {
      const service = yield* MessagingTopup
      const sandbox = yield* Sandbox
      for (const name of operationNames) {
        const { call, errors } = contract[name]
        expect(yield* Effect.flip(call(service))).toMatchObject({
          _tag: errors.includes(401) ? "AuthenticationFailed" : "UndocumentedStatus",
          status: 401
        })
      }
      expect(yield* sandbox.messages()).toEqual([])
    }).pipe(Effect.provide(together({ token: Redacted.make("another-token") })))
  )

  it.live(requirement("5-403"), () =>
    Effect.gen(function* () {
      const service = yield* MessagingTopup
      expect(yield* Effect.flip(service.getSmsStatus("m-0403"))).toMatchObject({
        _tag: "InsufficientPermissions",
        status: 403
      })
    }).pipe(Effect.provide(together()))
  )
})
