import { expect } from "@effect/vitest"
import { MessagingTopup } from "@messaging-topup/core"
import { type Decision, SendJournal } from "@messaging-topup/journal"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { Time } from "../Time.ts"

const sms = { recipient: "+15550101234", message: "Your code is 4711" }
const other = { ...sms, message: "Your code is 4712" }

const posts = Effect.flatMap(Sandbox, ({ requests }) =>
  Effect.map(requests(), ({ length }) => length)
)

const sendOnce = (request: typeof sms, key = "k") =>
  Effect.flatMap(SendJournal, (journal) => journal.sendOnce(key, request))

/** A send whose outcome is unknown. */
const lost = Effect.gen(function* () {
  const { setFault } = yield* Sandbox
  yield* setFault({ fault: "ResetAfterAcceptance", times: 1 })
  expect((yield* Effect.flip(sendOnce(sms)))._tag).toBe("ConnectionLost")
})

/** The later call of a key that a person decided on: its result or error, and how many requests there were. */
const decisions: Readonly<Record<Decision, readonly [unknown, number]>> = {
  sent: [{ messages: [], isEarlier: true }, 1],
  "not-sent": [{ _tag: "SendClosed", id: 1, key: "k", journal: expect.any(String) }, 1],
  resend: [{ isEarlier: false }, 2]
}

/** The service, in which each send waits before its request starts. */
const frozen = Effect.fnUntraced(function* () {
  const real = yield* MessagingTopup
  const reached = yield* Deferred.make<void>()
  const goOn = yield* Deferred.make<void>()
  const wait = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(goOn))
  const service = {
    ...real,
    sendSms: (request: typeof sms) => Effect.andThen(wait, real.sendSms(request))
  }
  return { goOn, reached, service }
})

export const sendOnceTests = {
  "every caller of a key gets the first result, and one request starts": Effect.gen(function* () {
    const first = yield* sendOnce(sms)
    expect(first).toMatchObject({ isEarlier: false, messages: [{ status: expect.any(String) }] })
    expect(yield* sendOnce(sms)).toEqual({ ...first, isEarlier: true })
    expect(yield* posts).toBe(1)
    yield* sendOnce(sms, "other")
    expect(yield* posts).toBe(2)
  }),

  "of 20 concurrent callers, one sends and all get its result": Effect.gen(function* () {
    const callers = Array.from({ length: 20 }, () => sendOnce(sms))
    const results = yield* TestClock.withLive(Effect.all(callers, { concurrency: "unbounded" }))
    expect(new Set(results.map(({ messages }) => messages[0]?.message_id)).size).toBe(1)
    expect(results.filter(({ isEarlier }) => !isEarlier)).toHaveLength(1)
    expect(yield* posts).toBe(1)
  }),

  "a key whose send did not go out or was refused is free, for another request too": Effect.gen(
    function* () {
      const { resolve } = yield* SendJournal
      for (const [end, tag] of [
        ["0402", "PaymentRequired"],
        ["0400", "InvalidRequest"],
        ["0400", "InvalidRequest"]
      ]) {
        const error = yield* Effect.flip(sendOnce({ ...sms, recipient: `+1555000${end}` }))
        expect(error._tag).toBe(tag)
        expect(yield* resolve({ key: "k" }, "sent")).toMatchObject({ changed: 0 })
      }
      expect(yield* sendOnce(sms)).toMatchObject({ isEarlier: false })
      expect(yield* posts).toBe(4)
    }
  ),

  "a key with another request is unknown until a person decides, then a conflict, or free":
    Effect.gen(function* () {
      const { resolve } = yield* SendJournal
      yield* lost
      const ends = Effect.forEach(
        [other, { ...sms, recipient: "+1" }, { ...sms, sender_id: "X" }],
        (request) => Effect.map(Effect.flip(sendOnce(request)), ({ _tag }) => _tag)
      )
      expect(new Set(yield* ends)).toEqual(new Set(["OutcomeUnknown"]))
      const another = "but with another number, text, sender or time,"
      const said = yield* Effect.flip(sendOnce(other))
      expect(said).toMatchObject({ isOther: true, message: expect.stringContaining(another) })
      expect((yield* Effect.flip(sendOnce(sms))).message).not.toContain(another)
      for (const [decision, was, state, way] of [
        ["sent", undefined, "sent", "that SMS went out"],
        ["not-sent", "sent", "closed", "nothing sends that SMS"]
      ] as const) {
        yield* resolve({ key: "k", was }, decision)
        expect(new Set(yield* ends)).toEqual(new Set(["KeyConflict"]))
        const message = expect.stringContaining(way)
        expect(yield* Effect.flip(sendOnce(other))).toMatchObject({ state, message })
      }
      expect(yield* posts).toBe(1)
      yield* resolve({ key: "k", was: "not-sent" }, "resend")
      expect(yield* sendOnce(other)).toMatchObject({ isEarlier: false })
      expect(yield* posts).toBe(2)
    }),

  "a key with another address for reports, spelling of the number, or text that looks the same, is the same SMS, whatever became of it":
    Effect.gen(function* () {
      const { resolve } = yield* SendJournal
      const moved = { ...sms, webhook_url: "https://b.example/" }
      const alike = [
        moved,
        { ...sms, recipient: "001 (555) 010-1234" },
        { ...sms, message: `${sms.message}\r\n` }
      ]
      yield* lost
      for (const each of alike) {
        const said = yield* Effect.flip(sendOnce(each))
        expect(said._tag).toBe("OutcomeUnknown")
        expect(said.message).not.toContain("another")
      }
      yield* resolve({ key: "k" }, "sent")
      for (const each of alike) {
        expect(yield* sendOnce(each)).toMatchObject({ isEarlier: true })
      }
      yield* resolve({ key: "k", was: "sent" }, "not-sent")
      for (const each of alike) {
        expect(yield* Effect.flip(sendOnce(each))).toMatchObject({ _tag: "SendClosed" })
      }
      expect(yield* posts).toBe(1)
    }),

  "input that cannot be stored is invalid, and nothing is sent": Effect.gen(function* () {
    const error = yield* Effect.flip(sendOnce({ ...sms, message: "a\0b" }))
    expect(error).toMatchObject({ _tag: "InvalidInput", field: "message", operation: "sendOnce" })
    expect(yield* Effect.flip(sendOnce(sms, ""))).toMatchObject({ field: "key" })
    expect(yield* posts).toBe(0)
  }),

  "a decision about a key that looks like a number is found by that key": Effect.gen(function* () {
    const { prune, resolve, sendOnce: once } = yield* SendJournal
    const key = "+15550109999"
    for (const given of [key, { campaign: "c", key }]) {
      yield* (yield* Sandbox).setFault({ fault: "ResetAfterAcceptance", times: 1 })
      yield* Effect.flip(once(given, sms))
    }
    expect(yield* Effect.flip(prune({ campaign: "c" }))).toMatchObject({
      _tag: "CampaignUndecided"
    })
    expect(yield* resolve({ key }, "sent")).toMatchObject({ changed: 1 })
    expect(yield* resolve({ campaign: "c", keys: [key] }, "sent")).toMatchObject({ changed: 1 })
    expect(yield* once(key, sms)).toMatchObject({ isEarlier: true })
  }),

  "an unknown outcome stays unknown until a person decides": Effect.gen(function* () {
    yield* lost
    expect(yield* Effect.flip(sendOnce(sms))).toMatchObject({ _tag: "OutcomeUnknown" })
    yield* (yield* Time).pass("30 days")
    expect(yield* Effect.flip(sendOnce(sms))).toMatchObject({ _tag: "OutcomeUnknown" })
    expect(yield* posts).toBe(1)
  }),

  ...Object.fromEntries(
    Object.entries(decisions).map(([decision, [later, count]]) => [
      `after the decision ${decision}, the next call does what it says`,
      Effect.gen(function* () {
        const { resolve } = yield* SendJournal
        yield* lost
        expect(yield* resolve({ key: "k" }, decision as Decision)).toMatchObject({ changed: 1 })
        expect(yield* resolve({ key: "k" }, decision as Decision)).toMatchObject({ changed: 0 })
        const ended = yield* Effect.match(sendOnce(sms), {
          onFailure: (error): unknown => error,
          onSuccess: (sent): unknown => sent
        })
        expect(ended).toMatchObject(later as object)
        expect(yield* posts).toBe(count)
      })
    ])
  ),

  "a 202 whose body cannot be read is sent, without a message id": Effect.gen(function* () {
    const { setFault } = yield* Sandbox
    yield* setFault({ fault: "TruncatedJson", times: 1 })
    expect(yield* sendOnce(sms)).toEqual({ messages: [], isEarlier: false })
    expect(yield* sendOnce(sms)).toEqual({ messages: [], isEarlier: true })
  }),

  "a call that is interrupted after its request started ends with its outcome stored": Effect.gen(
    function* () {
      const { setFault, until } = yield* Sandbox
      const { pass } = yield* Time
      yield* setFault({ fault: "Slow", seconds: 5, times: 1 })
      const call = yield* Effect.forkChild(sendOnce(sms))
      yield* until(({ requests }) => requests.length === 1)
      const interruption = yield* Effect.forkChild(Fiber.interrupt(call))
      yield* pass("5 seconds")
      yield* Fiber.join(interruption)
      expect(Exit.hasInterrupts(yield* Fiber.await(call))).toBe(true)
      expect(yield* sendOnce(sms)).toMatchObject({ isEarlier: true, messages: [{}] })
      expect(yield* posts).toBe(1)
    }
  ),

  "a process that was frozen before its request starts nothing after a person decided": Effect.gen(
    function* () {
      const { pass } = yield* Time
      const { messages } = yield* Sandbox
      const { resolve } = yield* SendJournal
      const { goOn, reached, service } = yield* frozen()
      const first = yield* Effect.forkChild(
        Effect.provideService(sendOnce(sms), MessagingTopup, service)
      )
      yield* Deferred.await(reached)
      // Its request may still start, so a person cannot decide yet.
      yield* pass("9 seconds")
      expect(yield* resolve({ key: "k" }, "resend")).toMatchObject({ changed: 0 })
      yield* pass("3 minutes")
      expect(yield* resolve({ key: "k" }, "resend")).toMatchObject({ changed: 1 })
      const second = yield* sendOnce(sms)
      yield* Deferred.succeed(goOn, undefined)
      expect(yield* Fiber.join(first)).toEqual({ ...second, isEarlier: true })
      expect(yield* messages()).toHaveLength(1)
      expect(yield* posts).toBe(1)
    }
  ),

  "a process that was frozen, and about which nobody decided, sends with a new claim": Effect.gen(
    function* () {
      const { pass } = yield* Time
      const { goOn, reached, service } = yield* frozen()
      const caller = yield* Effect.forkChild(
        Effect.provideService(sendOnce(sms), MessagingTopup, service)
      )
      yield* Deferred.await(reached)
      yield* pass("30 seconds")
      yield* Deferred.succeed(goOn, undefined)
      expect(yield* Fiber.join(caller)).toMatchObject({ isEarlier: false })
      expect(yield* posts).toBe(1)
    }
  )
}
