import { expect } from "@effect/vitest"
import { SendClaims, SendJournal } from "@messaging-topup/journal"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"

const sms = { recipient: "+15550101234", message: "Your code is 4711" }

const posts = Effect.flatMap(Sandbox, ({ requests }) =>
  Effect.map(requests(), ({ length }) => length)
)

/** A send whose outcome is unknown. */
const lost = Effect.gen(function* () {
  const journal = yield* SendJournal
  const sandbox = yield* Sandbox
  yield* sandbox.setFault({ fault: "ResetAfterAcceptance", times: 1 })
  const error = yield* Effect.flip(journal.sendOnce("k", sms))
  expect(error._tag).toBe("ConnectionLost")
  return journal
})

export const singleSends = {
  "every caller of a key gets the first result, and one request starts": Effect.gen(function* () {
    const journal = yield* SendJournal
    const first = yield* journal.sendOnce("k", sms)
    expect(first).toMatchObject({ isEarlier: false, messages: [{ status: expect.any(String) }] })
    expect(yield* journal.sendOnce("k", sms)).toEqual({ ...first, isEarlier: true })
    expect(yield* posts).toBe(1)
    yield* journal.sendOnce("other", sms)
    expect(yield* posts).toBe(2)
  }),

  "of 20 concurrent callers, one sends and all get its result": Effect.gen(function* () {
    const journal = yield* SendJournal
    const callers = Array.from({ length: 20 }, () => journal.sendOnce("k", sms))
    const results = yield* TestClock.withLive(Effect.all(callers, { concurrency: "unbounded" }))
    expect(new Set(results.map(({ messages }) => messages[0]?.message_id)).size).toBe(1)
    expect(results.filter(({ isEarlier }) => !isEarlier)).toHaveLength(1)
    expect(yield* posts).toBe(1)
  }),

  "a send that did not go out leaves the key free, for another input too": Effect.gen(function* () {
    const journal = yield* SendJournal
    const refused = { ...sms, recipient: "+15550100402" }
    const error = yield* Effect.flip(journal.sendOnce("k", refused))
    expect(error._tag).toBe("PaymentRequired")
    expect(yield* journal.resolve("k", "sent")).toBe(false)
    expect(yield* journal.sendOnce("k", sms)).toMatchObject({ isEarlier: false })
  }),

  "the same key with another input is a conflict that names the field and no value": Effect.gen(
    function* () {
      const journal = yield* SendJournal
      yield* journal.sendOnce("k", sms)
      const conflict = (request: typeof sms & { readonly sender_id?: string }) =>
        Effect.flip(journal.sendOnce("k", request))
      const error = yield* conflict({ ...sms, message: "Your code is 4712" })
      expect(error).toMatchObject({ _tag: "RowConflict", field: "message" })
      expect(error.message).not.toMatch(/471|555/)
      expect(yield* conflict({ ...sms, recipient: "+1" })).toMatchObject({ field: "recipient" })
      expect(yield* conflict({ ...sms, sender_id: "X" })).toMatchObject({ field: "sender_id" })
      expect(yield* posts).toBe(1)
    }
  ),

  "input that cannot be stored is invalid, and nothing is sent": Effect.gen(function* () {
    const journal = yield* SendJournal
    const error = yield* Effect.flip(journal.sendOnce("k", { ...sms, message: "a\0b" }))
    expect(error).toMatchObject({ _tag: "InvalidInput", field: "message" })
    expect(yield* Effect.flip(journal.sendOnce("", sms))).toMatchObject({ field: "key" })
    expect(yield* posts).toBe(0)
  }),

  "an unknown outcome stays unknown until a person decides": Effect.gen(function* () {
    const journal = yield* lost
    const error = yield* Effect.flip(journal.sendOnce("k", sms))
    expect(error).toMatchObject({ _tag: "OutcomeUnknown", since: 0 })
    yield* TestClock.adjust("30 days")
    expect(yield* Effect.flip(journal.sendOnce("k", sms))).toEqual(error)
    expect(yield* posts).toBe(1)
  }),

  "after a person decides that it was sent, later callers get that result": Effect.gen(
    function* () {
      const journal = yield* lost
      expect(yield* journal.resolve("k", "sent")).toBe(true)
      expect(yield* journal.sendOnce("k", sms)).toEqual({ messages: [], isEarlier: true })
      expect(yield* journal.resolve("k", "resend")).toBe(false)
    }
  ),

  "after a person decides that it is not sent, later callers are refused": Effect.gen(function* () {
    const journal = yield* lost
    expect(yield* journal.resolve("k", "rejected")).toBe(true)
    expect(yield* Effect.flip(journal.sendOnce("k", sms))).toMatchObject({ _tag: "SendRejected" })
    expect(yield* posts).toBe(1)
  }),

  "after a person allows a resend, the next caller sends, but only the same input": Effect.gen(
    function* () {
      const journal = yield* lost
      expect(yield* journal.resolve("k", "resend")).toBe(true)
      const other = yield* Effect.flip(journal.sendOnce("k", { ...sms, message: "Other" }))
      expect(other).toMatchObject({ _tag: "RowConflict", field: "message" })
      expect(yield* journal.sendOnce("k", sms)).toMatchObject({ isEarlier: false })
      expect(yield* journal.sendOnce("k", sms)).toMatchObject({ isEarlier: true })
      expect(yield* posts).toBe(2)
    }
  ),

  "a 202 whose body cannot be read is sent, without a message id": Effect.gen(function* () {
    const journal = yield* SendJournal
    const sandbox = yield* Sandbox
    yield* sandbox.setFault({ fault: "TruncatedJson", times: 1 })
    expect(yield* journal.sendOnce("k", sms)).toEqual({ messages: [], isEarlier: false })
    expect(yield* journal.sendOnce("k", sms)).toEqual({ messages: [], isEarlier: true })
  }),

  "a caller that is interrupted after its request started leaves an unknown outcome": Effect.gen(
    function* () {
      const journal = yield* SendJournal
      const sandbox = yield* Sandbox
      yield* sandbox.setFault({ fault: "NoResponse", accept: true, times: 1 })
      const caller = yield* Effect.forkChild(journal.sendOnce("k", sms))
      yield* sandbox.until(({ requests }) => requests.length >= 1)
      yield* Fiber.interrupt(caller)
      expect(yield* Effect.flip(journal.sendOnce("k", sms))).toMatchObject({
        _tag: "OutcomeUnknown"
      })
      expect(yield* posts).toBe(1)
    }
  ),

  "the list of single sends contains no number and no text": Effect.gen(function* () {
    const journal = yield* SendJournal
    const claims = yield* SendClaims
    yield* journal.sendOnce("k", { ...sms, sender_id: "Shop" })
    const listed = JSON.stringify(yield* claims.recent({}, 10))
    // Whole values only: a random id can contain any few digits.
    for (const value of [sms.recipient.slice(1), sms.message, "Shop"]) {
      expect(listed).not.toContain(value)
    }
  })
}
