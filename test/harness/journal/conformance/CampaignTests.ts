import { expect } from "@effect/vitest"
import { type Claim, type StoredEnd, SendJournal } from "@messaging-topup/journal/internal"
import type { Decision } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import { numberOf } from "./ServerTests.ts"
import { Time } from "../Time.ts"

const timeoutMillis = 30_000
const sent: StoredEnd = { state: "sent", messages: [{ message_id: "m1", status: "QUEUED" }] }
/** With a character that PostgreSQL cannot store: it is left out. */
const unknown: StoredEnd = { state: "unknown", reason: "Connection\0Lost" }
export const rejected: StoredEnd = { state: "rejected", reason: "InvalidRequest 400" }
const nothing: StoredEnd = { state: "nothing" }

const campaigns = Effect.map(SendJournal, (journal) => journal.campaigns)

const smsTo = (recipient: string, message = "Hello") => ({ recipient, message })

const rowOf = (key: string, attempt = 0, request = "r", recipient = numberOf(key)) => ({
  key,
  attempt,
  request,
  recipient
})

/** The key of a row as it is stored. */
const storedKey = (campaign: string, key: string) =>
  Effect.map(SendJournal, ({ identify }) => identify({ campaign, key }, smsTo("")).key)

let tickets = 0

interface ClaimOptions {
  readonly ticket?: string
  readonly campaign?: string
  readonly allowRepeats?: boolean | ReadonlySet<string>
}

/** Claims rows, and returns what became of each. */
const ends = Effect.fnUntraced(function* (
  rows: ReadonlyArray<ReturnType<typeof rowOf> & { readonly message?: string }>,
  { allowRepeats = true, campaign = "c", ticket = `ticket ${tickets++}` }: ClaimOptions = {}
) {
  const {
    campaigns: { write },
    describe
  } = yield* SendJournal
  const claims = yield* Effect.forEach(rows, ({ attempt, key, message, recipient, request }) =>
    Effect.map(storedKey(campaign, key), (stored) => ({
      ...describe({ key: stored, digest: request }, smsTo(recipient, message)),
      attempt,
      mayRepeat: allowRepeats === true || (allowRepeats !== false && allowRepeats.has(key))
    }))
  )
  const batch = { settle: [], claim: claims, ticket, timeoutMillis }
  return (yield* write(campaign, batch)).rows
})

/** Claims rows, and returns their claims. */
export const claim = Effect.fnUntraced(function* (
  rows: ReadonlyArray<ReturnType<typeof rowOf>>,
  options: ClaimOptions = {}
) {
  const claims = new Map<string, Claim>()
  for (const [index, end] of (yield* ends(rows, options)).entries()) {
    if (typeof end === "object") claims.set(rows[index]?.key ?? "", end)
  }
  return claims
})

export const settle = Effect.fnUntraced(function* (
  claims: ReadonlyMap<string, Claim>,
  stored: StoredEnd
) {
  const { write } = yield* campaigns
  const ended = [...claims.values()].map((each) => ({ claim: each, stored }))
  yield* write("c", {
    settle: ended,
    claim: [],
    ticket: "none",
    timeoutMillis
  })
})

const standingOf = Effect.fnUntraced(function* (key: string, digest = "r", campaign = "c") {
  const { look } = yield* campaigns
  const [standing] = yield* look([{ key: yield* storedKey(campaign, key), digest }])
  return standing
})

/** How a row stands after its claim ended, whether it can be claimed, and by whom. */
const outcomes: ReadonlyArray<readonly [StoredEnd, string, number, boolean]> = [
  [sent, "sent", 1, false],
  [unknown, "unknown", 1, false],
  [rejected, "rejected", 1, true],
  [nothing, "free", 0, true]
]

const decided: ReadonlyArray<readonly [Decision, string, boolean]> = [
  ["sent", "sent", false],
  ["not-sent", "closed", false],
  ["resend", "free", true]
]

/** What a decision about one send returns: it changed, or it stood otherwise. */
const decides = { changed: 1, meanwhile: 0 }
const leaves = { changed: 0, meanwhile: 1 }

/** One row in each state, of which "again" has two attempts. */
const oneOfEach = Effect.gen(function* () {
  const { begin } = yield* campaigns
  const { resolve } = yield* SendJournal
  yield* begin("c")
  yield* settle(yield* claim([rowOf("sent"), rowOf("sent2")]), sent)
  yield* settle(yield* claim([rowOf("rejected"), rowOf("again")]), rejected)
  yield* settle(yield* claim([rowOf("again", 1)]), sent)
  yield* settle(yield* claim([rowOf("closed")]), unknown)
  yield* resolve({ campaign: "c" }, "not-sent")
  yield* settle(yield* claim([rowOf("freed")]), unknown)
  yield* resolve({ campaign: "c" }, "resend")
  yield* settle(yield* claim([rowOf("unknown")]), unknown)
  yield* claim([rowOf("in-flight")])
})

export const campaignTests = {
  "a row is claimed once, and again only by the same ticket": Effect.gen(function* () {
    const rows = [rowOf("a"), rowOf("b")]
    const first = yield* claim(rows, { ticket: "t" })
    expect([...first.keys()]).toEqual(["a", "b"])
    expect(yield* claim(rows)).toEqual(new Map())
    expect(yield* claim(rows, { ticket: "t" })).toEqual(first)
    expect(yield* standingOf("a")).toMatchObject({ state: "in-flight", attempt: 1 })
    yield* settle(first, sent)
    expect(yield* claim(rows, { ticket: "t" })).toEqual(new Map())
  }),

  "of ten that claim the same rows at once, one gets each": Effect.gen(function* () {
    const rows = Array.from({ length: 200 }, (_, index) => rowOf(`n${index}`))
    const racers = Array.from({ length: 10 }, (_, racer) =>
      claim(rows, { ticket: `racer ${racer}` })
    )
    const granted = yield* Effect.all(racers, { concurrency: "unbounded" })
    expect(granted.flatMap((claims) => [...claims.keys()]).toSorted()).toEqual(
      rows.map(({ key }) => key).toSorted()
    )
    const twice = [claim([rowOf("s")], { ticket: "s" }), claim([rowOf("s")], { ticket: "s" })]
    for (const claims of yield* Effect.all(twice, { concurrency: "unbounded" })) {
      expect(claims.size).toBe(1)
    }
  }),

  "a person decides about a row by its id": Effect.gen(function* () {
    const { decidable, resolve } = yield* SendJournal
    yield* settle(yield* claim([rowOf("a")]), unknown)
    const [{ id } = { id: 0 }] = yield* decidable({ campaign: "c" })
    expect(yield* resolve({ ids: [id + 1] }, "resend")).toMatchObject({ changed: 0 })
    expect(yield* standingOf("a")).toMatchObject({ state: "unknown" })
    expect(yield* resolve({ ids: [id] }, "resend")).toMatchObject({ changed: 1 })
    expect(yield* standingOf("a")).toMatchObject({ state: "free" })
  }),

  "how a row ended decides whether it is claimed again": Effect.gen(function* () {
    for (const [stored, state, attempt, isFree] of outcomes) {
      yield* settle(yield* claim([rowOf(state)]), stored)
      expect(yield* standingOf(state)).toMatchObject({ state, attempt })
      expect((yield* claim([rowOf(state, attempt)])).size, state).toBe(isFree ? 1 : 0)
    }
  }),

  "an old claim reads as unknown, a person decides, and a late response wins over it": Effect.gen(
    function* () {
      const { counts } = yield* campaigns
      const { resolve } = yield* SendJournal
      const { pass } = yield* Time
      for (const [decision, state, isFree] of decided) {
        const old = yield* claim([rowOf(state)])
        expect(yield* resolve({ campaign: "c" }, decision)).toMatchObject({ changed: 0 })
        yield* pass("44 seconds")
        expect(yield* resolve({ campaign: "c" }, decision)).toMatchObject({ changed: 0 })
        yield* pass("2 seconds")
        expect(yield* standingOf(state)).toMatchObject({ state: "unknown" })
        expect((yield* counts("c")).unknown).toBe(1)
        expect(yield* resolve({ campaign: "c", keys: ["another row"] }, decision)).toEqual(leaves)
        expect(yield* resolve({ campaign: "c", keys: ["another row", state] }, decision)).toEqual({
          changed: 1,
          meanwhile: 1
        })
        expect(yield* standingOf(state)).toMatchObject({ state, attempt: 1 })
        yield* settle(old, nothing)
        yield* settle(old, unknown)
        expect(yield* standingOf(state)).toMatchObject({ state, attempt: 1 })
        yield* settle(old, sent)
        const { send } = (yield* standingOf(state)) ?? {}
        expect(send).toMatchObject({ state: "sent", messages: [{ message_id: "m1" }] })
        // What the service said is no decision, which could be taken back.
        expect(yield* resolve({ campaign: "c", keys: [state], was: "sent" }, "resend")).toEqual(
          leaves
        )
        expect((yield* claim([rowOf(state, 1)])).size).toBe(0)
        yield* settle(old, rejected)
        expect(yield* standingOf(state)).toMatchObject({ state: "sent" })
        expect(isFree).toBe(decision === "resend")
      }
    }
  ),

  "a changed row is told, unless the service had refused it, or it is not known whether it went out":
    Effect.gen(function* () {
      yield* oneOfEach
      for (const key of ["sent", "unknown", "closed", "freed", "rejected", "in-flight"]) {
        const changed = ["sent", "closed"].includes(key) ? key : undefined
        expect(yield* standingOf(key), key).toMatchObject({ changed: undefined, isOther: false })
        expect(yield* standingOf(key, "changed"), key).toMatchObject({ changed, isOther: true })
      }
      expect((yield* claim([rowOf("rejected", 1, "changed")])).size).toBe(1)
      expect(yield* standingOf("new")).toEqual({
        state: "free",
        attempt: 0,
        changed: undefined,
        isOther: false,
        sent: 0,
        decided: 0,
        unknown: []
      })
    }),

  "an id proves no older copy in another order, if its write is repeated, or after newer rows were deleted":
    Effect.gen(function* () {
      const { describe, prune } = yield* SendJournal
      const { newestId, write } = yield* campaigns
      const writeOf = Effect.fnUntraced(function* (key: string, campaign = "c") {
        const send = { key: yield* storedKey(campaign, key), digest: "r" }
        const row = { ...describe(send, smsTo(numberOf(key))), attempt: 0, mayRepeat: true }
        const batch = { settle: [], claim: [row], ticket: key, newestId: newestId(), timeoutMillis }
        return Effect.map(write(campaign, batch), ({ isOlderCopy, rows: [first] }) => {
          expect(isOlderCopy).toBe(false)
          return typeof first === "object" ? first : expect.fail("Not claimed")
        })
      })
      const [early, later] = [yield* writeOf("early"), yield* writeOf("later")]
      const { id } = yield* later
      const first = yield* early
      expect(newestId()).toBe(Math.max(id, first.id))
      const latest = yield* yield* writeOf("latest")
      // As after a lost acknowledgement: it has an id that is older by now.
      expect(yield* early).toEqual(first)
      const all = Array.from({ length: 20 }, (_, index) => writeOf(`at once ${index}`))
      const many = yield* Effect.all(yield* Effect.all(all), { concurrency: "unbounded" })
      yield* settle(new Map(many.map((each) => [each.key, each])), nothing)
      const after = yield* yield* writeOf("after what was given back")
      expect(after.id).toBe(newestId())
      const stored = [first, yield* later, latest, after]
      yield* settle(new Map(stored.map((each) => [each.key, each])), sent)
      yield* prune({ campaign: "c" })
      const { id: last } = yield* yield* writeOf("after what was pruned", "d")
      expect(last).toBe(newestId())
    }),

  "a request may start for ten seconds": Effect.gen(function* () {
    const {
      campaigns: { write },
      describe
    } = yield* SendJournal
    const { pass } = yield* Time
    const send = { key: yield* storedKey("c", "k"), digest: "r" }
    const row = { ...describe(send, smsTo("+15550101234")), attempt: 0, mayRepeat: true }
    const batch = { settle: [], claim: [row], ticket: "t", timeoutMillis }
    const { mayStart } = yield* write("c", batch)
    yield* pass("10 seconds")
    expect(mayStart()).toBe(true)
    yield* pass("1 millis")
    expect(mayStart()).toBe(false)
  }),

  "the names of campaigns keep their rows apart, from each other and from a program's keys":
    Effect.gen(function* () {
      const journal = yield* SendJournal
      const names = ["a", "a/b", "a%2Fb", "ab", "a%b", "/"]
      for (const campaign of names) {
        expect((yield* claim([rowOf("b/k")], { campaign })).size).toBe(1)
        yield* journal.sendOnce(`${campaign}/b/k`, smsTo("+15550101234"))
      }
      for (const name of names) {
        expect(yield* journal.campaigns.counts(name)).toMatchObject({ "in-flight": 1, sent: 0 })
      }
    }),

  "a row that an engine sends is the campaign's: listed, decided about, pruned": Effect.gen(
    function* () {
      const journal = yield* SendJournal
      const { prune, resolve } = journal
      const { counts, find } = journal.campaigns
      const sms = smsTo("+15550101234")
      yield* journal.sendOnce({ campaign: "c", key: "k" }, sms)
      expect(yield* find("c")).toMatchObject({ prunedAt: undefined })
      const { digest } = journal.identify({ campaign: "c", key: "k" }, sms)
      expect(yield* standingOf("k", digest)).toMatchObject({ state: "sent", changed: undefined })
      yield* settle(yield* claim([rowOf("u")]), unknown)
      expect(yield* resolve({ campaign: "c" }, "resend")).toMatchObject({ changed: 1 })
      expect(yield* resolve({ campaign: "c", keys: ["u"], was: "resend" }, "sent")).toEqual(decides)
      expect(yield* counts("c")).toMatchObject({ sent: 2 })
      yield* (yield* Time).pass("1 minute")
      expect(yield* prune({ olderThan: 0, unknown: true })).toBe(0)
      expect(yield* prune({ campaign: "c" })).toBe(2)
      expect(
        yield* Effect.flip(journal.sendOnce({ campaign: "c", key: "late" }, sms))
      ).toMatchObject({
        _tag: "CampaignPruned"
      })
    }
  ),

  "of two rows with one key in a batch, one is claimed": Effect.gen(function* () {
    const rows = [rowOf("k"), rowOf("k", 0, "another"), rowOf("k")]
    const tags = (yield* ends(rows)).map((end) => (typeof end === "object" ? "claimed" : end))
    expect(tags).toEqual(["claimed", "elsewhere", "elsewhere"])
    expect(yield* standingOf("k")).toMatchObject({ changed: undefined, attempt: 1 })
  }),

  "a recipient of the campaign gets one SMS, unless repeats are allowed": Effect.gen(function* () {
    const {
      campaigns: { repeated },
      describe,
      resolve
    } = yield* SendJournal
    const guarded = Effect.fnUntraced(function* (...rows: ReadonlyArray<ReturnType<typeof rowOf>>) {
      const found = yield* ends(rows, { allowRepeats: false })
      return found.map((end) => (typeof end === "object" ? "claimed" : end))
    })
    const ann = (key: string, attempt = 0) => rowOf(key, attempt, "r", "+1 555 010-1234")
    const annToo = (key: string) => rowOf(key, 0, "r", "0015550101234")
    // Also within a batch. What is refused for its key refuses nobody else.
    expect(yield* guarded(ann("a"), annToo("b"), ann("a"), rowOf("x"))).toEqual([
      "claimed",
      "repeated",
      "elsewhere",
      "claimed"
    ])
    expect(yield* guarded(annToo("b"), rowOf("x"))).toEqual(["repeated", "elsewhere"])
    // In another campaign, the same text is refused, and another one is another matter.
    const inOther = { campaign: "d", allowRepeats: false }
    expect(yield* ends([ann("a")], inOther)).toMatchObject(["repeated"])
    const another = { ...ann("a"), message: "Another" }
    expect((yield* ends([another], inOther))[0]).toBeTypeOf("object")
    // A repeated write returns what the first one did.
    const pair = [rowOf("p", 0, "r", "+77"), rowOf("q", 0, "r", "+77")]
    const again = { allowRepeats: false, ticket: "pair" }
    const first = yield* ends(pair, again)
    expect(first).toMatchObject([{ attempt: 0 }, "repeated"])
    expect(yield* ends(pair, again)).toEqual(first)
    // For 30 days. Also what was claimed by a clock that was ahead.
    for (const [passed, type] of [
      ["-1 day", "string"],
      ["30 days", "string"],
      ["2 days", "object"]
    ] as const) {
      yield* (yield* Time).pass(passed)
      const [end] = yield* ends([rowOf("p", 0, "r", "+77")], inOther)
      expect(end, passed).toBeTypeOf(type)
    }
    const known = describe({ key: "c/b", digest: "r" }, smsTo("15550101234"))
    expect((yield* repeated("c", [known])).get(known.key)).toMatchObject({ campaign: "c" })
    // An unknown one counts until a person decides, and a rejected one never.
    yield* (yield* Time).pass("1 minute")
    expect(yield* guarded(annToo("b"))).toEqual(["repeated"])
    expect(yield* resolve({ campaign: "c", keys: ["a"] }, "not-sent")).toMatchObject({ changed: 1 })
    expect((yield* repeated("c", [known])).has(known.key)).toBe(false)
    expect(yield* guarded(annToo("b"))).toEqual(["claimed"])
    expect(yield* guarded(ann("c"))).toEqual(["repeated"])
    yield* settle(yield* claim([rowOf("r", 0, "r", "+99")]), rejected)
    expect(yield* guarded(rowOf("s", 0, "r", "+99"))).toEqual(["claimed"])
    expect(yield* guarded(rowOf("r", 1, "r", "+99"))).toEqual(["repeated"])
    expect((yield* ends([rowOf("r", 1, "r", "+99")]))[0]).toBeTypeOf("object")
  }),

  "a row that may repeat is sent, and takes the place of one that may not": Effect.gen(
    function* () {
      const rows = ["a", "b", "c"].map((key) => rowOf(key, 0, "r", "+15550101234"))
      const found = yield* ends(rows, { allowRepeats: new Set(["b"]) })
      expect(found).toMatchObject(["repeated", { attempt: 0 }, "repeated"])
      // A list that began after the question: the yes does not cover it, and it sees what was allowed.
      const toBen = rowOf("ben", 0, "r", "+15550109999")
      const meanwhile = { allowRepeats: false, campaign: "d" }
      expect(yield* ends([toBen], meanwhile)).toMatchObject([{ attempt: 0 }])
      const yes = { allowRepeats: new Set(["c"]) }
      expect(yield* ends([rowOf("c", 0, "r", "0015550101234"), toBen], yes)).toMatchObject([
        { attempt: 0 },
        "repeated"
      ])
      expect(yield* ends([rowOf("ann", 0, "r", "+15550101234")], meanwhile)).toMatchObject([
        "repeated"
      ])
    }
  ),

  "of ten that write to one person under ten keys at once, one does": Effect.gen(function* () {
    const racers = Array.from({ length: 10 }, (_, index) =>
      ends([rowOf(`k${index}`, 0, "r", "+15550101234")], { allowRepeats: false })
    )
    const found = (yield* Effect.all(racers, { concurrency: "unbounded" })).flat()
    expect(found.filter((end) => typeof end === "object")).toHaveLength(1)
  }),

  "a second SMS is told with the other send: of the campaign, or the last of all": Effect.gen(
    function* () {
      const {
        campaigns: { repeated },
        describe,
        sendOnce
      } = yield* SendJournal
      const { pass } = yield* Time
      const other = Effect.fnUntraced(function* (message = "Hello", sender_id?: string) {
        const request = { ...smsTo("+15550101234", message), ...(sender_id && { sender_id }) }
        const row = describe({ key: "c/new", digest: "r" }, request)
        return (yield* repeated("c", [row])).get(row.key)
      })
      expect(yield* other()).toBeUndefined()
      yield* claim([rowOf("a b", 0, "r", "0015550101234")], { campaign: "July and August" })
      expect(yield* other()).toMatchObject({ campaign: "July and August" })
      yield* pass("1 second")
      yield* sendOnce("order", smsTo("+1 555 010 1234"))
      expect(yield* other()).toMatchObject({ campaign: undefined })
      expect(yield* other("Hello!")).toBeUndefined()
      expect(yield* other(" Hel\u200blo\r\n")).toMatchObject({ campaign: undefined })
      // Whoever the sender is, the person gets the same text twice.
      expect(yield* other("Hello", "Shop")).toMatchObject({ campaign: undefined })
      // Its clock is ahead: what is claimed in the future counts.
      yield* pass("-1 hour")
      expect(yield* other()).toBeDefined()
      yield* pass("1 hour")
      yield* claim([rowOf("a", 0, "r", "+15550101234")])
      yield* pass("31 days")
      expect(yield* other("Another")).toMatchObject({ campaign: "c" })
    }
  ),

  "a campaign adds up each row once, as it stands": Effect.gen(function* () {
    const { counts, tallies } = yield* campaigns
    yield* oneOfEach
    const expected = { sent: 3, rejected: 1, closed: 1, freed: 1, unknown: 1, "in-flight": 1 }
    expect(yield* counts("c")).toEqual(expected)
    const none = { sent: 0, rejected: 0, closed: 0, freed: 0, unknown: 0, "in-flight": 0 }
    expect(yield* counts("another")).toEqual(none)
    expect(yield* tallies("c")).toMatchObject([
      { state: "sent", count: 3 },
      { state: "closed", count: 1 },
      { state: "freed", count: 1 },
      { state: "in-flight", count: 1 },
      { state: "rejected", reason: "InvalidRequest 400", count: 1 },
      { state: "unknown", reason: "ConnectionLost", count: 1 }
    ])
    yield* (yield* Time).pass("1 day")
    expect(yield* tallies("c")).toContainEqual(
      expect.objectContaining({ state: "unknown", reason: undefined, count: 1 })
    )
    yield* settle(yield* claim([rowOf("late")]), sent)
    const [all] = yield* tallies("c")
    expect(all).toMatchObject({ state: "sent", count: 4 })
    expect(Math.floor(((all?.lastAt ?? 0) - (all?.firstAt ?? 0)) / 60_000)).toBe(24 * 60)
    const again = { state: "rejected", reason: "NotFound 404" } as const
    yield* settle(yield* claim([rowOf("rejected", 1)]), again)
    const rejections = (yield* tallies("c")).filter(({ state }) => state === "rejected")
    expect(rejections).toMatchObject([{ reason: "NotFound 404", count: 1 }])
    const day = { widthMillis: 86_400_000, offsetMillis: 3_600_000 }
    const sentOn = (yield* tallies("c", day)).filter(({ state }) => state === "sent")
    expect(sentOn.map(({ count }) => count)).toEqual([3, 1])
    const [first, last] = sentOn.map(({ firstAt, lastAt }) =>
      [firstAt, lastAt].map((at) => Math.floor((at + day.offsetMillis) / day.widthMillis))
    )
    expect(new Set(first).size).toBe(1)
    expect(last?.map((step) => step - 1)).toEqual(first)
  }),

  "a pruned campaign keeps its name, and is refused": Effect.gen(function* () {
    const { begin, counts, find } = yield* campaigns
    const { prune } = yield* SendJournal
    const undecided = { _tag: "CampaignUndecided", campaign: "c" }
    yield* oneOfEach
    yield* begin("c")
    yield* claim([rowOf("k")], { campaign: "kept" })
    expect(yield* Effect.flip(prune({ campaign: "c", unknown: true }))).toMatchObject(undecided)
    yield* (yield* Time).pass("1 minute")
    expect(yield* Effect.flip(prune({ campaign: "c" }))).toMatchObject(undecided)
    expect(yield* begin("c")).toMatchObject({ prunedAt: undefined })
    // The second attempt of a row goes with its first one, and is no other row.
    expect(yield* prune({ campaign: "c", unknown: true })).toBe(8)
    expect(yield* find("c")).toMatchObject({ prunedAt: expect.any(Number) })
    expect(yield* find("another")).toBeUndefined()
    expect(yield* Effect.flip(begin("c"))).toMatchObject({ _tag: "CampaignPruned", campaign: "c" })
    expect(yield* Effect.flip(claim([rowOf("sent")]))).toMatchObject({ _tag: "CampaignPruned" })
    expect(yield* counts("kept")).toMatchObject({ unknown: 1 })
  }),

  "a campaign keeps the list and the options that were given first, and whoever begins it is told":
    Effect.gen(function* () {
      const { begin, find } = yield* campaigns
      yield* begin("c")
      expect((yield* find("c"))?.options).toBeUndefined()
      const first = { folder: "/first", options: "first" }
      yield* begin("c", { folder: "/first" })
      expect(yield* begin("c", first)).toMatchObject(first)
      // With a new field or without one, it is what stands there.
      expect(yield* begin("c", { folder: "/second", options: "second" })).toMatchObject(first)
      expect(yield* begin("c")).toMatchObject(first)
      expect(yield* begin("d", { folder: "/first" })).toMatchObject({ folder: "/first" })
      const options = "first"
      expect(yield* begin("d", { folder: "/second", options })).toMatchObject(first)
      expect(yield* find("c")).toMatchObject(first)
    })
}
