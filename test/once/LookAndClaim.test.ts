/**
 * What happens between the look of a call at its key and its claim: the claim decides, in one step.
 */
import { ConnectionLost } from "@messaging-topup/core"
import { layerMemory, SendJournal } from "@messaging-topup/journal"
import type { Caller } from "@messaging-topup/mcp-server/src/send/Approval.ts"
import { Sender } from "@messaging-topup/mcp-server/src/send/Sender.ts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { expect, it } from "vitest"
import { alone, approvedCaller, processOn } from "../harness/mcp/Guards.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

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
  const process = Effect.map(
    processOn(Layer.succeed(SendJournal, watched), () =>
      Effect.suspend(() => {
        requests += 1
        return isLost
          ? Effect.fail(new ConnectionLost({ operation: "sendSms" }))
          : Effect.succeed({
              success: true,
              data: [{ ...sms, message_id: "m-1", status: "Queued" }]
            })
      })
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
      expect(yield* one(alone, false)).toMatchObject([{ end: { code: "send_unknown" } }])
      const approved = yield* approvedCaller((caller) => one(caller, true))
      const [unknown] = yield* journal.server.recent({ isUnknown: true, limit: 1 })
      beforeClaim(Effect.ignore(journal.server.resolve(unknown?.id ?? 0, "sent")))
      expect(yield* one(approved, true)).toMatchObject(sentBefore)
      expect(requests()).toBe(1)
    }).pipe(Effect.scoped)
  ))
