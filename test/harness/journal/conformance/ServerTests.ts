import { expect } from "@effect/vitest"
import { MessagingTopup, type SendSmsRequest } from "@messaging-topup/core"
import {
  type Claim,
  type StoredEnd,
  SendJournal,
  type ToSend
} from "@messaging-topup/journal/internal"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { Time } from "../Time.ts"

/** Returns a number of its own for each text. */
export const numberOf = (text: string): string =>
  `+1555${[...text].map((letter) => letter.charCodeAt(0)).join("")}`

const sent: StoredEnd = { state: "sent", messages: [{ message_id: "m1", status: "QUEUED" }] }
const hour = Duration.hours(1)

const smsTo = (recipient: string) => ({ recipient, message: "Hello" })

type More = Partial<ToSend & ToSend["facts"]>

const requestOf = (
  key: string,
  { batch, caller = "ann", segments = 1, ...more }: More
): ToSend => ({
  send: { key, digest: "r" },
  request: smsTo(numberOf(key)),
  facts: { batch, caller, segments },
  others: [],
  ...more
})

const client = Layer.mock(MessagingTopup, { timeoutMillis: 30_000 })

const server = Effect.map(SendJournal, (journal) => journal.server)

type Send = (typeof SendJournal.Service)["server"]["send"]
type Claimed = Parameters<Parameters<Send>[1]>[0]

/** Claims a send of the server as a process that is killed before its request. */
export const tryToClaim = (key: string, more: More = {}) =>
  Effect.suspend(() => {
    let made: Claimed | undefined
    const killed = (end: Claimed) => {
      made = end
      return Effect.die("killed")
    }
    return Effect.flatMap(server, ({ send }) => send(requestOf(key, more), killed, identity)).pipe(
      Effect.catchDefect((defect) =>
        made === undefined ? Effect.die(defect) : Effect.succeed(made)
      ),
      Effect.provide(client)
    )
  })

/** Claims, and returns the claim. */
export const claimed = Effect.fnUntraced(function* (key: string, more: More = {}) {
  const result = yield* tryToClaim(key, more)
  if (result._tag === "Claimed") return result.claim
  return yield* Effect.die(new Error(`Not claimed: ${JSON.stringify(result)}`))
})

const settle = Effect.fnUntraced(function* (of: Claim, stored: StoredEnd) {
  const journal = yield* SendJournal
  expect(yield* journal.settle(of, stored)).toBe(true)
})

const make = (key: string, stored: StoredEnd, more: More = {}) =>
  Effect.flatMap(claimed(key, more), (of) => settle(of, stored))

const look = (key: string) =>
  Effect.flatMap(server, (sends) =>
    Effect.map(sends.look([{ key, digest: "r" }]), ([standing]) => standing)
  )

/** What a person approves who is asked about the key as it stands now. */
const approvedOf = (key: string) =>
  Effect.map(look(key), (stands) => (stands ? { asShown: { ...stands, newestTold: 0 } } : {}))

const tagOf = (key: string, more: More = {}) =>
  Effect.map(tryToClaim(key, more), (end) => (end._tag === "Refused" ? end.refusal._tag : end._tag))

const two = { maxPerHour: 2 }

const approval = { nonce: "n", validFor: hour }

export const serverTests = {
  "a key is claimed once; what stands in the way is told, and a person opens what was asked":
    Effect.gen(function* () {
      const first = yield* claimed("k")
      expect(yield* tryToClaim("k", yield* approvedOf("k"))).toMatchObject({
        _tag: "InTheWay",
        standing: { state: "in-flight", send: { id: first.id, caller: "ann" } }
      })
      const early = yield* approvedOf("k")
      yield* settle(first, sent)
      expect(yield* tryToClaim("k")).toMatchObject({
        _tag: "InTheWay",
        standing: {
          state: "sent",
          send: { messages: [{ message_id: "m1" }], countsUntil: expect.any(Number) }
        }
      })
      // It was not sent yet when the person was asked.
      expect(yield* tagOf("k", early)).toBe("InTheWay")
      expect(yield* tagOf("k", { asShown: { attempt: 1, state: "unknown", newestTold: 0 } })).toBe(
        "InTheWay"
      )
      const approved = yield* approvedOf("k")
      const copy = yield* tryToClaim("k", approved)
      expect(copy).toMatchObject({ _tag: "Claimed", standing: { state: "sent" } })
      if (copy._tag === "Claimed") yield* settle(copy.claim, { state: "unknown" })
      // Another question about the same copy was open.
      expect(yield* tagOf("k", approved)).toBe("InTheWay")
      // The first SMS is known, and the copy is not.
      expect(yield* look("k")).toMatchObject({
        state: "sent",
        sent: 1,
        unknown: [expect.any(Number)],
        attempt: 2
      })
      yield* make("u", { state: "unknown" })
      expect(yield* tagOf("u")).toBe("InTheWay")
      expect(yield* tagOf("u", yield* approvedOf("u"))).toBe("Claimed")
      const changed = { send: { key: "k", digest: "another" }, ...(yield* approvedOf("k")) }
      expect(yield* tryToClaim("k", changed)).toMatchObject({
        _tag: "InTheWay",
        standing: { changed: "sent" }
      })
    }),

  "what was sent counts for 20 hours, for everybody, and an unknown one until a person decides":
    Effect.gen(function* () {
      const { pass } = yield* Time
      yield* make("s", sent)
      yield* make("row", sent, { batch: "b" })
      yield* make("u", { state: "unknown" })
      yield* make("r", { state: "rejected", reason: "NotFound 404" })
      yield* make("n", { state: "nothing" })
      expect(yield* tagOf("r")).toBe("Claimed")
      expect(yield* tagOf("n")).toBe("Claimed")
      yield* pass("1199 minutes")
      expect(yield* look("s")).toMatchObject({ state: "sent" })
      expect(yield* tagOf("row")).toBe("InTheWay")
      yield* pass("2 minutes")
      expect(yield* look("s")).toEqual({
        state: "free",
        attempt: 1,
        changed: undefined,
        isOther: false,
        sent: 1,
        decided: 0,
        unknown: []
      })
      expect(yield* tagOf("s")).toBe("Claimed")
      expect(yield* tagOf("row")).toBe("Claimed")
      yield* pass("30 days")
      expect(yield* tagOf("u")).toBe("InTheWay")
    }),

  "it counts from the later of claim and settlement": Effect.gen(function* () {
    const { pass } = yield* Time
    const late = yield* claimed("k")
    yield* pass("19 hours")
    yield* settle(late, sent)
    yield* pass("19 hours")
    expect(yield* tagOf("k")).toBe("InTheWay")
  }),

  "the limit counts what is claimed, unknown or sent, of all callers": Effect.gen(function* () {
    const { limit } = yield* server
    yield* make("a", sent)
    yield* make("b", { state: "unknown" })
    yield* make("c", { state: "nothing" })
    yield* make("d", { state: "rejected", reason: "NotFound 404" })
    yield* claimed("e", { caller: "bob" })
    expect(yield* limit(4, 1)).toBeUndefined()
    expect(yield* limit(4, 2)).toMatchObject({ max: 4, used: 3, retryAfter: expect.anything() })
    // Five are more than the limit of four, however long one waits.
    expect(yield* limit(4, 5)).toEqual({ _tag: "LimitReached", max: 4, used: 3 })
  }),

  "a claim over the limit is refused, until exactly the time that is told": Effect.gen(
    function* () {
      const { limit } = yield* server
      const { pass } = yield* Time
      const minutesOf = (reached: unknown) =>
        Predicate.hasProperty(reached, "retryAfter") && Duration.isDuration(reached.retryAfter)
          ? Math.round(Duration.toMinutes(reached.retryAfter))
          : undefined
      yield* claimed("a", two)
      yield* pass("20 minutes")
      yield* claimed("b", two)
      yield* pass("10 minutes")
      const refused = yield* tryToClaim("c", two)
      expect(refused).toMatchObject({ refusal: { _tag: "LimitReached", max: 2, used: 2 } })
      expect(refused._tag === "Refused" && minutesOf(refused.refusal)).toBe(30)
      expect(minutesOf(yield* limit(2, 2))).toBe(50)
      yield* pass("29 minutes")
      expect(yield* tagOf("c", two)).toBe("LimitReached")
      yield* pass("61 seconds")
      expect(yield* tagOf("c", two)).toBe("Claimed")
      expect(yield* tagOf("d", two)).toBe("LimitReached")
    }
  ),

  "what was claimed while the clock was ahead counts towards no limit": Effect.gen(function* () {
    const { pass } = yield* Time
    const one = { maxPerHour: 1 }
    yield* make("a", sent, one)
    yield* pass(Duration.days(-30))
    yield* make("b", sent, one)
    expect(yield* tryToClaim("c", one)).toMatchObject({
      refusal: { _tag: "LimitReached", used: 1 }
    })
    yield* pass("61 minutes")
    expect(yield* tagOf("c", one)).toBe("Claimed")
  }),

  "a late response counts again towards a limit": Effect.gen(function* () {
    const { limit } = yield* server
    const { resolve } = yield* SendJournal
    const used = Effect.map(limit(0, 1), (reached) => reached?.used)
    const old = yield* claimed("k")
    yield* (yield* Time).pass("1 minute")
    expect(yield* used).toBe(1)
    expect(yield* resolve({ ids: [old.id] }, "resend")).toMatchObject({ changed: 1 })
    expect(yield* resolve({ ids: [old.id] }, "resend")).toMatchObject({ changed: 0 })
    expect(yield* used).toBe(0)
    yield* settle(old, sent)
    expect(yield* used).toBe(1)
  }),

  "what a person closed stays closed, until a person approves another attempt": Effect.gen(
    function* () {
      const { resolve } = yield* SendJournal
      const old = yield* claimed("k")
      yield* (yield* Time).pass("1 minute")
      const before = yield* approvedOf("k")
      yield* resolve({ ids: [old.id] }, "not-sent")
      expect(yield* tryToClaim("k", before)).toMatchObject({
        _tag: "InTheWay",
        standing: { state: "closed" }
      })
      yield* (yield* Time).pass("2 days")
      expect(yield* tagOf("k")).toBe("InTheWay")
      expect(yield* tagOf("k", yield* approvedOf("k"))).toBe("Claimed")
      expect(yield* resolve({ ids: [old.id] }, "resend")).toMatchObject({ changed: 0 })
    }
  ),

  "an approval is used once, and what was sent is told first": Effect.gen(function* () {
    const { redeem, redeemed: redeemedBefore } = yield* server
    yield* make("k", sent, { approval })
    expect(yield* tryToClaim("k", { approval })).toMatchObject({ _tag: "InTheWay" })
    expect(yield* tryToClaim("other", { approval })).toMatchObject({
      refusal: { _tag: "ApprovalUsed", usedAs: "approved" }
    })
    const declined = { ...approval, nonce: "d" }
    expect(yield* redeemedBefore(declined)).toBeUndefined()
    expect(yield* redeem(declined, "declined")).toBeUndefined()
    expect(yield* redeem(declined, "approved")).toBe("declined")
    expect(yield* redeemedBefore(declined)).toBe("declined")
    expect(yield* tryToClaim("other", { approval: declined })).toMatchObject({
      refusal: { _tag: "ApprovalUsed", usedAs: "declined" }
    })
    const used = { ...approval, nonce: "l" }
    expect(yield* tagOf("other", { approval: used, maxPerHour: 0 })).toBe("LimitReached")
    expect(yield* redeem(used, "approved")).toBe("approved")
    expect(yield* redeemedBefore(used)).toBe("approved")
    const together = { ...approval, nonce: "t" }
    const calls = Array.from({ length: 10 }, () => redeem(together, "approved"))
    const redeemed = yield* Effect.all(calls, { concurrency: "unbounded" })
    expect(redeemed.filter((before) => before === undefined)).toHaveLength(1)
    expect(redeemed.filter((before) => before === "approved")).toHaveLength(9)
  }),

  "the last sends are listed, newest first, by caller, recipient and doubt": Effect.gen(
    function* () {
      const journal = yield* SendJournal
      const { count, inFlight, recent } = journal.server
      const { pass } = yield* Time
      yield* make("a", sent)
      yield* pass("1 minute")
      yield* claimed("b", { caller: "bob", request: smsTo(numberOf("a")) })
      const c = yield* claimed("c")
      const keys = (filter: object) =>
        Effect.map(recent({ limit: 9, ...filter }), (sends) => sends.map(({ key }) => key))
      expect(yield* keys({})).toEqual(["c", "b", "a"])
      expect(yield* keys({ limit: 2 })).toEqual(["c", "b"])
      expect(yield* keys({ caller: "ann" })).toEqual(["c", "a"])
      const recipient = journal.recipientDigest(numberOf("a"))
      expect(yield* keys({ recipient })).toEqual(["b", "a"])
      const inFlightOf = (filter: object) =>
        Effect.map(inFlight(filter), (sends) => sends.map(({ key }) => key))
      expect(new Set(yield* inFlightOf({}))).toEqual(new Set(["b", "c"]))
      expect(yield* inFlightOf({ caller: "ann" })).toEqual(["c"])
      expect(yield* inFlightOf({ recipient })).toEqual(["b"])
      expect(yield* count({ isUnknown: true })).toBe(0)
      yield* pass("1 minute")
      expect(yield* inFlightOf({})).toEqual([])
      expect(yield* keys({ isUnknown: true, caller: "bob" })).toEqual(["b"])
      expect(yield* count({ isUnknown: true })).toBe(2)
      yield* settle(c, { state: "nothing" })
      expect(yield* keys({ isUnknown: true })).toEqual(["b"])
      // The sends of others are not listed.
      yield* journal.sendOnce("k", { recipient: "+15550101234", message: "Hello" })
      expect(yield* count({})).toBe(2)
    }
  ),

  "of a batch, all attempts of its SMS are read, also those of other calls": Effect.gen(
    function* () {
      const { ofBatches } = yield* server
      yield* make("a", { state: "unknown" }, { batch: "one" })
      yield* make("a", sent, yield* approvedOf("a"))
      yield* make("b", sent, { batch: "two" })
      yield* make("c", sent, { batch: "three" })
      yield* make("d", sent, { batch: "one", caller: "bob" })
      const read = yield* ofBatches("ann", ["one", "two"])
      expect(read.map(({ attempt, batch, key }) => [key, attempt, batch])).toEqual([
        ["a", 0, "one"],
        ["a", 1, undefined],
        ["b", 0, "two"]
      ])
    }
  ),

  "of two approved questions about a number, the second claims nothing if the first was not told of and may be unknown":
    Effect.gen(function* () {
      const textTo = (message: string) => ({ recipient: numberOf("x"), message })
      const shown = { attempt: 0, state: "free", newestTold: 0 } as const
      const one = textTo("Come at 5")
      const { id } = yield* claimed("one", { request: one, asShown: shown })
      const second = { request: textTo("Please come at 5"), approval, maxPerHour: 9 }
      expect(yield* tryToClaim("two", { ...second, asShown: shown })).toMatchObject({
        _tag: "InTheWay",
        standing: { state: "free", attempt: 0 }
      })
      // Of a row of the same question it told. Its approval was not used up.
      const others = [{ key: "one", request: one, state: "free" }] as const
      const newest = yield* claimed("two", { ...second, asShown: shown, others })
      const third = { request: textTo("At 5, please") }
      const told = (newestTold: number) => ({ ...third, asShown: { ...shown, newestTold } })
      expect(yield* tagOf("three", told(id))).toBe("InTheWay")
      expect(yield* tagOf("three", { ...told(0), caller: "bob" })).toBe("Claimed")
      expect(yield* tagOf("four", told(newest.id))).toBe("Claimed")
      // Nobody was asked: the claim says what a question would tell.
      expect(yield* tryToClaim("five", third)).toMatchObject({
        _tag: "Claimed",
        earlier: { sameText: { newest: expect.any(Number) }, unknown: { unknown: [newest.id, id] } }
      })
    }),

  "of the sends to a number, those of the caller in 30 days are told: the last of the same text, and all of unknown outcome":
    Effect.gen(function* () {
      const { earlierSends } = yield* server
      const { pass } = yield* Time
      const to = numberOf("x")
      const of = (key: string, stored: StoredEnd, request: SendSmsRequest, caller = "ann") =>
        make(key, stored, { request, caller })
      const unknown: StoredEnd = { state: "unknown" }
      yield* of("old", sent, smsTo(to))
      yield* of("old unknown", unknown, { recipient: to, message: "Another" })
      yield* pass("31 days")
      yield* of("a", sent, { ...smsTo(to), sender_id: "ACME" })
      yield* pass("1 second")
      yield* of("b", unknown, { ...smsTo(to), scheduled_time: "20:00" })
      yield* of("c", { state: "rejected", reason: "NotFound 404" }, smsTo(to))
      yield* of("d", sent, { recipient: to, message: "Another" })
      yield* of("e", sent, smsTo(to), "bob")
      const same = smsTo(to.replace("+", "00"))
      const asked = [
        { key: "k", request: smsTo(numberOf("y")), state: "free" },
        { key: "k", request: same, state: "unknown" },
        { key: "b", request: same, state: "free" },
        { key: "b", request: same, state: "unknown" }
      ] as const
      const found = Effect.map(earlierSends("ann", asked), (all) =>
        all.map(({ sameText, unknown: other }) => [
          sameText?.isSent,
          sameText?.unknown.length,
          other?.unknown
        ])
      )
      const none = [
        [undefined, undefined, undefined],
        [false, 1, undefined],
        [false, 1, undefined],
        [true, 0, undefined]
      ]
      expect(yield* found).toEqual(none)
      // One in flight may become unknown.
      const reworded = { ...smsTo(to), message: "The same, in other words" }
      yield* of("rejected", { state: "rejected", reason: "NotFound 404" }, reworded)
      yield* of("bob's", unknown, reworded, "bob")
      expect(yield* found).toEqual(none)
      const before = yield* claimed("before", { request: reworded })
      yield* settle(before, unknown)
      yield* pass("1 second")
      const { id } = yield* claimed("in flight", { request: reworded })
      const told = none.map(([isSent, maybe], at) => [
        isSent,
        maybe,
        at === 0 ? undefined : [id, before.id]
      ])
      expect(yield* found).toEqual(told)
      for (let more = 0; more < 101; more += 1) {
        yield* of(`more ${more}`, sent, { recipient: to, message: `Another ${more}` })
      }
      expect(yield* found).toEqual(told)
    }),

  "of lists and programs, the same text to the number is told, and nothing else; of another caller, nothing":
    Effect.gen(function* () {
      const { campaigns, describe, resolve, sendOnce, server: sends } = yield* SendJournal
      const to = numberOf("x")
      const ofList = Effect.fnUntraced(function* (key: string, message: string) {
        const send = { key: `c/${key}`, digest: "r" }
        const row = { ...describe(send, { recipient: to, message }), attempt: 0, mayRepeat: true }
        const { rows } = yield* campaigns.write("c", {
          settle: [],
          claim: [row],
          ticket: key,
          timeoutMillis: 0
        })
        const [claim] = rows
        if (typeof claim !== "object") return yield* Effect.die(new Error("Not claimed"))
        yield* settle(claim, { state: "unknown" })
        return claim.id
      })
      const found = (message: string, caller = "ann") =>
        Effect.map(
          sends.earlierSends(caller, [
            { key: "k", request: { recipient: to, message }, state: "free" }
          ]),
          ([told]) => told
        )
      const id = yield* ofList("a", "Hello")
      yield* sendOnce("order-1", { recipient: to, message: "Paid" })
      const ofAnn = yield* claimed("u", { request: { recipient: to, message: "Come" } })
      yield* (yield* Time).pass("1 second")
      const own = { unknown: { unknown: [ofAnn.id] } }
      expect(yield* found("Hello")).toMatchObject({
        ...own,
        sameText: { isSent: false, newest: id, unknown: [id] }
      })
      expect(yield* found("Paid")).toMatchObject({
        ...own,
        sameText: { isSent: true, isDecided: false, unknown: [] }
      })
      const other = yield* found("Other")
      expect(other).toMatchObject(own)
      expect(other).not.toHaveProperty("sameText")
      expect(yield* found("Other", "bob")).toEqual({})
      expect(yield* found("Come", "bob")).toEqual({})
      expect(yield* found("Hello", "bob")).toMatchObject({ sameText: { unknown: [id] } })
      // A list may send it while a person reads the question.
      const shown = { attempt: 0, state: "free", newestTold: 0 } as const
      const approved = { request: smsTo(to), asShown: shown }
      expect(yield* tagOf("k", { ...approved, caller: "bob" })).toBe("InTheWay")
      const told = { ...approved, caller: "bob", asShown: { ...shown, newestTold: id } }
      expect(yield* tagOf("k", told)).toBe("Claimed")
      yield* resolve({ ids: [id] }, "sent")
      const decided = { isSent: true, isDecided: true, unknown: [] }
      expect(yield* found("Hello", "dan")).toMatchObject({ sameText: decided })
    }),

  "each owner forgets its own sends only, and the server none that still counts": Effect.gen(
    function* () {
      const journal = yield* SendJournal
      const { pass } = yield* Time
      const sms = smsTo("+15550101234")
      yield* journal.sendOnce("k", sms)
      yield* make("s", sent)
      yield* make("u", { state: "unknown" })
      yield* journal.sendOnce({ campaign: "c", key: "a" }, sms)
      const olderThan = Duration.hours(1)
      yield* pass("29 days")
      expect(yield* journal.prune({ olderThan, unknown: true }, "server")).toBe(0)
      yield* pass("2 days")
      expect(yield* journal.prune({ olderThan: Duration.days(90), unknown: true }, "server")).toBe(
        0
      )
      expect(yield* journal.prune({ olderThan, unknown: false }, "server")).toBe(1)
      expect(yield* journal.prune({ olderThan, unknown: true }, "server")).toBe(1)
      expect((yield* journal.campaigns.counts("c")).sent).toBe(1)
      expect(yield* journal.sendOnce("k", sms)).toMatchObject({ isEarlier: true })
      expect(yield* journal.prune({ olderThan, unknown: false })).toBe(1)
      expect(yield* journal.sendOnce("k", sms)).toMatchObject({ isEarlier: false })
      expect((yield* journal.campaigns.counts("c")).sent).toBe(1)
      yield* journal.check(false)
      yield* journal.check(true)
      expect(yield* journal.server.count({})).toBe(0)
    }
  )
}
