/**
 * What happens between the look of a call at its key and its claim: the claim decides, in one step.
 */
import {
  ConnectionLost,
  type MessagingTopup,
  PaymentRequired,
  type SendSmsRequest
} from "@messaging-topup/core"
import { layerMemory } from "@messaging-topup/journal"
import { SendJournal } from "@messaging-topup/journal/internal"
import { Pending } from "@messaging-topup/mcp-server/src/send/Approval.ts"
import type { Caller } from "@messaging-topup/mcp-server/src/send/Caller.ts"
import { Sender } from "@messaging-topup/mcp-server/src/send/Sender.ts"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import { expect, it } from "@effect/vitest"
import { alone, approvedCaller, openRules, processOn } from "../harness/mcp/Guards.ts"

const sms = { recipient: "+254700000001", message: "Hello" }
const second = { ...sms, recipient: "+254700000002" }
const third = { ...sms, recipient: "+254700000003" }

/** Two processes on one journal. Something can happen before the next claims of the one. */
const scene = Effect.fnUntraced(function* (calls: {
  isLost: boolean
  /** The first request waits for it, and is refused. */
  held?: Effect.Effect<unknown>
}) {
  const journal = Context.get(yield* Layer.build(layerMemory), SendJournal)
  let before: Effect.Effect<unknown> = Effect.void
  const watched = SendJournal.of({
    ...journal,
    server: {
      ...journal.server,
      send: (...given) =>
        Effect.suspend(() => Effect.andThen(before, journal.server.send(...given)))
    }
  })
  const requests: Array<string> = []
  const process = (on: typeof SendJournal.Service) =>
    Effect.map(
      processOn(
        Layer.succeed(SendJournal, on),
        ({ recipient }) =>
          Effect.suspend((): ReturnType<MessagingTopup["Service"]["sendSms"]> => {
            requests.push(recipient)
            const { held } = calls
            if (held !== undefined && requests.length === 1) {
              const refused = new PaymentRequired({ operation: "sendSms", error: {} })
              return Effect.andThen(held, Effect.fail(refused))
            }
            return calls.isLost
              ? Effect.fail(new ConnectionLost({ operation: "sendSms" }))
              : Effect.succeed({
                  success: true,
                  data: [{ ...sms, message_id: "m-1", status: "Queued" }]
                })
          }),
        { ...openRules, confirm: "auto" }
      ),
      (context) =>
        (caller: Caller, again: boolean, all: ReadonlyArray<SendSmsRequest> = [sms]) =>
          Effect.provide(Context.get(context, Sender).send(caller, all, again), context)
    )
  return {
    journal,
    one: yield* process(watched),
    other: yield* process(journal),
    beforeClaim: (happens: Effect.Effect<unknown, unknown>) =>
      Effect.map(Effect.cached(Effect.ignore(happens)), (once) => {
        before = once
      }),
    requests
  }
})

type Body = () => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, void, never>

const test = (title: string, body: Body) =>
  it.live(title, () => Effect.provide(Effect.gen(body), Logger.layer([])))

const sentBefore = [{ end: { _tag: "Sent", earlier: expect.any(Object) } }]

test("a send of another process in between is the result, and nothing is sent", function* () {
  const { beforeClaim, one, other, requests } = yield* scene({ isLost: false })
  yield* beforeClaim(other(alone, false))
  expect(yield* one(alone, false)).toMatchObject(sentBefore)
  expect(requests).toHaveLength(1)
})

test("what is in flight in between and leaves it free uses no approval: the same one sends it later", function* () {
  const held = yield* Deferred.make<void>()
  const { beforeClaim, journal, one, other, requests } = yield* scene({
    isLost: false,
    held: Deferred.await(held)
  })
  const approved = yield* approvedCaller((caller) => one(caller, false))
  const begun = Effect.repeat(Effect.yieldNow, { until: () => requests.length === 1 })
  yield* beforeClaim(Effect.andThen(Effect.forkDetach(other(alone, false)), begun))
  const sending = yield* Effect.forkChild(one(approved, false))
  yield* begun
  const [inFlight] = yield* journal.server.recent({ limit: 1 })
  expect(inFlight?.state).toBe("in-flight")
  expect(yield* Fiber.join(sending)).toMatchObject([{ end: { code: "in_flight_elsewhere" } }])
  yield* Deferred.succeed(held, undefined)
  const isFree = Effect.map(journal.server.recent({ limit: 1 }), ({ length }) => length === 0)
  yield* Effect.repeat(isFree, { until: (free) => free })
  expect(yield* one(approved, false)).toMatchObject([
    { end: { _tag: "Sent", approvedBy: "person" } }
  ])
  expect(requests).toEqual([sms.recipient, sms.recipient])
})

test("a text that a person must see is not sent unasked after a send that left it free", function* () {
  const held = yield* Deferred.make<void>()
  const { journal, one, other, requests } = yield* scene({
    isLost: false,
    held: Deferred.await(held)
  })
  const all = [{ ...sms, message: "Hello {name}" }]
  const approved = yield* approvedCaller((caller) => other(caller, false, all))
  const sending = yield* Effect.forkChild(other(approved, false, all))
  yield* Effect.repeat(Effect.yieldNow, { until: () => requests.length === 1 })
  const unasked = yield* Effect.forkChild(one(alone, false, all))
  // By now it has looked, and either ended or waits.
  yield* Effect.repeat(journal.server.recent({ limit: 1 }), { times: 20 })
  yield* Deferred.succeed(held, undefined)
  expect(yield* Fiber.join(unasked)).toMatchObject([{ end: { code: "in_flight_elsewhere" } }])
  expect(yield* Fiber.join(sending)).toMatchObject([{ end: { code: "send_failed" } }])
  expect(yield* Effect.flip(one(alone, false, all))).toMatchObject({ code: "invalid_arguments" })
  expect(requests).toEqual([sms.recipient])
})

test("a word that it was sent, in between, comes before an approval to send it again", function* () {
  const { beforeClaim, journal, one, requests } = yield* scene({ isLost: true })
  expect(yield* one(alone, false)).toMatchObject([{ end: { code: "send_unknown" } }])
  const approved = yield* approvedCaller((caller) => one(caller, true))
  const [unknown] = yield* journal.server.recent({ isUnknown: true, limit: 1 })
  yield* beforeClaim(journal.resolve({ ids: [unknown?.id ?? 0] }, "sent"))
  expect(yield* one(approved, true)).toMatchObject(sentBefore)
  expect(requests).toHaveLength(1)
})

test("an approval to send again is not one to send over what another process has left since", function* () {
  const calls = { isLost: true }
  const { beforeClaim, one, other, requests } = yield* scene(calls)
  yield* one(alone, false)
  const both = [sms, second]
  const approved = yield* approvedCaller((caller) => one(caller, true, both))
  yield* beforeClaim(
    Effect.tap(Effect.exit(other(alone, false, [second])), () =>
      Effect.sync(() => {
        calls.isLost = false
      })
    )
  )
  expect(yield* one(approved, true, both)).toMatchObject([
    { end: { _tag: "Sent", approvedBy: "person" } },
    { end: { code: "unknown_not_resent" } }
  ])
  expect(requests).toEqual([sms.recipient, second.recipient, sms.recipient])
})

test("an approval of a question that a replica with a later clock asked is none: the person is asked again", function* () {
  const { one, requests } = yield* scene({ isLost: false })
  const later = yield* approvedCaller((caller) => one(caller, false), -2000)
  expect(yield* Effect.flip(one(later, false))).toBeInstanceOf(Pending)
  expect(requests).toEqual([])
})

test("an approval sends what the question asked about, and no row that it left out", function* () {
  const calls = { isLost: true }
  const { journal, one, requests } = yield* scene(calls)
  yield* one(alone, false)
  const all = [sms, second, third]
  const approved = yield* approvedCaller((caller) => one(caller, false, all))
  const [unknown] = yield* journal.server.recent({ isUnknown: true, limit: 1 })
  yield* journal.resolve({ ids: [unknown?.id ?? 0] }, "resend")
  calls.isLost = false
  expect(yield* one(approved, false, all)).toMatchObject([
    { end: { code: "approval_invalid", outcome: "not-sent" } },
    { end: { _tag: "Sent", approvedBy: "person" } },
    { end: { _tag: "Sent", approvedBy: "person" } }
  ])
  expect(requests.toSorted()).toEqual([sms.recipient, second.recipient, third.recipient])
})

test("an approval of which no row stands as it was asked about is invalid, and not used up", function* () {
  const calls = { isLost: false }
  const { journal, one, other, requests } = yield* scene(calls)
  const both = [sms, second]
  const approved = yield* approvedCaller((caller) => one(caller, false, both))
  calls.isLost = true
  yield* other(alone, false)
  yield* other(alone, false, [second])
  for (const { id } of yield* journal.server.recent({ limit: 2 })) {
    yield* journal.resolve({ ids: [id] }, "resend")
  }
  calls.isLost = false
  // Each is free, as when the person was asked, and after another attempt.
  expect(yield* Effect.flip(one(approved, false, both))).toMatchObject({
    code: "approval_invalid",
    outcome: "not-sent"
  })
  expect(requests).toHaveLength(2)
})

test("a row in flight when an approval comes uses it up for the others alone", function* () {
  const held = yield* Deferred.make<void>()
  const { one, other, requests } = yield* scene({ isLost: false, held: Deferred.await(held) })
  const both = [sms, second]
  const approved = yield* approvedCaller((caller) => one(caller, false, both))
  const sending = yield* Effect.forkChild(other(alone, false))
  yield* Effect.repeat(Effect.yieldNow, { until: () => requests.length === 1 })
  expect(yield* one(approved, false, both)).toMatchObject([
    { end: { code: "in_flight_elsewhere", outcome: "unknown" } },
    { end: { _tag: "Sent", approvedBy: "person" } }
  ])
  yield* Deferred.succeed(held, undefined)
  expect(yield* Fiber.join(sending)).toMatchObject([{ end: { code: "send_failed" } }])
  expect(yield* one(approved, false, both)).toMatchObject([
    { end: { code: "approval_used" } },
    { end: { _tag: "Sent", earlier: expect.any(Object) } }
  ])
  expect(requests).toEqual([sms.recipient, second.recipient])
})
