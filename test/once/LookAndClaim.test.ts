/**
 * What happens between the look of a call at its key and its claim: the claim decides, in one step.
 */
import { ConnectionLost, MessagingTopup, OnRequestStart } from "@messaging-topup/core"
import { layerMemory, SendJournal } from "@messaging-topup/journal"
import type { Asking, Caller } from "@messaging-topup/mcp-server/src/send/Caller.ts"
import { Dispatch } from "@messaging-topup/mcp-server/src/send/Dispatch.ts"
import { InFlight } from "@messaging-topup/mcp-server/src/send/InFlight.ts"
import { Sender } from "@messaging-topup/mcp-server/src/send/Sender.ts"
import { State } from "@messaging-topup/mcp-server/src/send/State.ts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { expect, it } from "vitest"
import { openRules } from "../harness/mcp/OpenRules.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

const alone: Caller = { principal: "local", asking: undefined, report: undefined }

/** Runs the same call twice on one journal; the second time, something happens before its claim. */
const scene = Effect.fnUntraced(function* (isLost: boolean) {
  const journal = Context.get(yield* Layer.build(layerMemory), SendJournal)
  let before: Effect.Effect<unknown> = Effect.void
  const watched = SendJournal.of({
    ...journal,
    server: {
      ...journal.server,
      claim: (request) =>
        Effect.suspend(() => {
          const first = before
          before = Effect.void
          return Effect.andThen(first, journal.server.claim(request))
        })
    }
  })
  let requests = 0
  const service = Layer.mock(MessagingTopup, {
    timeoutMillis: 30_000,
    sendSms: () =>
      Effect.gen(function* () {
        const onStart = yield* OnRequestStart
        onStart()
        requests += 1
        if (isLost) return yield* Effect.fail(new ConnectionLost({ operation: "sendSms" }))
        return { success: true, data: [{ ...sms, message_id: "m-1", status: "Queued" }] }
      })
  })
  const process = Effect.map(
    Layer.build(
      Layer.fresh(
        Sender.layer({ rules: openRules, service: "https://a.example" }).pipe(
          Layer.provide(Dispatch.layer(openRules.duplicateWindow)),
          Layer.provide(InFlight.layer),
          Layer.provide(
            State.layer({
              location: { _tag: "Memory" },
              journal: Layer.succeed(SendJournal, watched)
            })
          ),
          Layer.merge(service)
        )
      )
    ),
    (context) => (caller: Caller, again: boolean) =>
      Effect.provide(Context.get(context, Sender).send(caller, [sms], again), context)
  )
  return {
    journal,
    one: yield* process,
    other: yield* process,
    beforeClaim: (happens: Effect.Effect<unknown>) => {
      before = happens
    },
    requests: () => requests
  }
})

const run = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provide(effect, Logger.layer([])))

const sentBefore = [{ end: { _tag: "Sent", earlier: expect.any(Object) } }]

it("a send of another process in between is the result, and nothing is sent", () =>
  run(
    Effect.gen(function* () {
      const { beforeClaim, one, other, requests } = yield* scene(false)
      beforeClaim(Effect.ignore(Effect.suspend(() => other(alone, false))))
      expect(yield* one(alone, false)).toMatchObject(sentBefore)
      expect(requests()).toBe(1)
    }).pipe(Effect.scoped)
  ))

it("a word that it was sent, in between, comes before an approval to send it again", () =>
  run(
    Effect.gen(function* () {
      const { beforeClaim, journal, one, requests } = yield* scene(true)
      expect(yield* Effect.flip(one(alone, false))).toMatchObject({ code: "send_unknown" })
      let asked: unknown
      const asking: Asking = {
        action: undefined,
        seal: (sealed) => Effect.sync(() => String((asked = sealed))),
        unseal: Effect.die("nothing was decided")
      }
      yield* one({ ...alone, asking }, true)
      const [unknown] = yield* journal.server.recent({ isUnknown: true, limit: 1 })
      beforeClaim(Effect.ignore(journal.server.resolve(unknown?.id ?? 0, "sent")))
      // Long enough ago for a person to read it.
      const unseal = Effect.sync(() => ({ ...(asked as object), askedAt: Date.now() - 1000 }))
      const approved = { ...alone, asking: { ...asking, action: "accept", unseal } }
      expect(yield* one(approved, true)).toMatchObject(sentBefore)
      expect(requests()).toBe(1)
    }).pipe(Effect.scoped)
  ))
