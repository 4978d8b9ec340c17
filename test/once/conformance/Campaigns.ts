import { expect } from "@effect/vitest"
import {
  campaignKey,
  type Decision,
  type SendEnding,
  SendJournal,
  type SendState
} from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import { Time } from "../../harness/journal/Time.ts"

const timeoutMillis = 30_000
const sent: SendEnding = { outcome: "sent", messages: [{ message_id: "m1", status: "QUEUED" }] }
const unknown: SendEnding = { outcome: "unknown", reason: "ConnectionLost" }
export const rejected: SendEnding = { outcome: "rejected", reason: "InvalidRequest 400" }
const nothing: SendEnding = { outcome: "nothing" }

const campaigns = Effect.map(SendJournal, (journal) => journal.campaigns)

const rowOf = (key: string, turn = 0, request = "r") => ({
  key,
  turn,
  request,
  recipient: `to ${key}`
})

let tokens = 0

/** Claims rows, and returns their claims. */
export const claim = Effect.fnUntraced(function* (
  rows: ReadonlyArray<ReturnType<typeof rowOf>>,
  token = `token ${tokens++}`,
  campaign = "c"
) {
  const { exchange } = yield* campaigns
  return (yield* exchange(campaign, { settle: [], claim: rows, token, timeoutMillis })).claims
})

export const settle = Effect.fnUntraced(function* (
  claims: ReadonlyMap<
    string,
    { readonly key: string; readonly turn: number; readonly token: string }
  >,
  ending: SendEnding
) {
  const { exchange } = yield* campaigns
  const ended = [...claims.values()].map((each) => ({ claim: each, ending }))
  yield* exchange("c", { settle: ended, claim: [], token: "none", timeoutMillis })
})

const standingOf = (key: string, request = "r", campaign = "c") =>
  Effect.flatMap(campaigns, ({ look }) =>
    Effect.map(look(campaign, [{ key, request }]), ([standing]) => standing)
  )

/** How a row stands after its claim ended, whether it can be claimed, and by whom. */
const endings: ReadonlyArray<readonly [SendEnding, string, number, boolean]> = [
  [sent, "sent", 1, false],
  [unknown, "unknown", 1, false],
  [rejected, "rejected", 1, true],
  [nothing, "free", 0, true]
]

const decided: ReadonlyArray<readonly [Decision, string, boolean]> = [
  ["sent", "sent", false],
  ["notSent", "closed", false],
  ["resend", "free", true]
]

/** One row in each state, of which "again" has two turns. */
const oneOfEach = Effect.gen(function* () {
  const { begin, resolve } = yield* campaigns
  yield* begin("c")
  yield* settle(yield* claim([rowOf("sent"), rowOf("sent2")]), sent)
  yield* settle(yield* claim([rowOf("rejected"), rowOf("again")]), rejected)
  yield* settle(yield* claim([rowOf("again", 1)]), sent)
  yield* settle(yield* claim([rowOf("closed")]), unknown)
  yield* resolve("c", "notSent")
  yield* settle(yield* claim([rowOf("freed")]), unknown)
  yield* resolve("c", "resend")
  yield* settle(yield* claim([rowOf("unknown")]), unknown)
  yield* claim([rowOf("in-flight")])
})

export const campaignTests = {
  "a row is claimed once, and again only by the same token": Effect.gen(function* () {
    const rows = [rowOf("a"), rowOf("b")]
    const first = yield* claim(rows, "t")
    expect([...first.keys()]).toEqual(["a", "b"])
    expect(yield* claim(rows)).toEqual(new Map())
    expect(yield* claim(rows, "t")).toEqual(first)
    expect(yield* standingOf("a")).toMatchObject({ state: "in-flight", turn: 1 })
    yield* settle(first, sent)
    expect(yield* claim(rows, "t")).toEqual(new Map())
  }),

  "of ten that claim the same rows at once, one gets each": Effect.gen(function* () {
    const rows = Array.from({ length: 200 }, (_, index) => rowOf(`n${index}`))
    const racers = Array.from({ length: 10 }, (_, racer) => claim(rows, `racer ${racer}`))
    const granted = yield* Effect.all(racers, { concurrency: "unbounded" })
    expect(granted.flatMap((claims) => [...claims.keys()]).toSorted()).toEqual(
      rows.map(({ key }) => key).toSorted()
    )
    const twice = [claim([rowOf("s")], "s"), claim([rowOf("s")], "s")]
    for (const claims of yield* Effect.all(twice, { concurrency: "unbounded" })) {
      expect(claims.size).toBe(1)
    }
  }),

  "a server reads and decides nothing about a row by its id": Effect.gen(function* () {
    const { sends } = yield* campaigns
    const { server } = yield* SendJournal
    yield* settle(yield* claim([rowOf("a")]), unknown)
    const [send] = yield* sends("c", { limit: 1 })
    expect(yield* server.read(send?.id ?? 0)).toBeUndefined()
    expect(yield* server.resolve(send?.id ?? 0, "resend")).toBe(false)
    expect(yield* standingOf("a")).toMatchObject({ state: "unknown" })
  }),

  "how a row ended decides whether it is claimed again": Effect.gen(function* () {
    for (const [ending, state, turn, isFree] of endings) {
      yield* settle(yield* claim([rowOf(state)]), ending)
      expect(yield* standingOf(state)).toMatchObject({ state, turn })
      expect((yield* claim([rowOf(state, turn)])).size, state).toBe(isFree ? 1 : 0)
    }
  }),

  "an old claim reads as unknown, a person decides, and a late response wins over it": Effect.gen(
    function* () {
      const { counts, resolve } = yield* campaigns
      const { pass } = yield* Time
      for (const [decision, state, isFree] of decided) {
        const old = yield* claim([rowOf(state)])
        expect(yield* resolve("c", decision)).toBe(0)
        yield* pass("44 seconds")
        expect(yield* resolve("c", decision)).toBe(0)
        yield* pass("2 seconds")
        expect(yield* standingOf(state)).toMatchObject({ state: "unknown" })
        expect((yield* counts("c")).unknown).toBe(1)
        expect(yield* resolve("c", decision, ["another row"])).toBe(0)
        expect(yield* resolve("c", decision, [state])).toBe(1)
        expect(yield* standingOf(state)).toMatchObject({ state, turn: 1 })
        yield* settle(old, nothing)
        yield* settle(old, unknown)
        expect(yield* standingOf(state)).toMatchObject({ state, turn: 1 })
        yield* settle(old, sent)
        const { send } = (yield* standingOf(state)) ?? {}
        expect(send).toMatchObject({ state: "sent", messages: [{ message_id: "m1" }] })
        expect((yield* claim([rowOf(state, 1)])).size).toBe(0)
        yield* settle(old, rejected)
        expect(yield* standingOf(state)).toMatchObject({ state: "sent" })
        expect(isFree).toBe(decision === "resend")
      }
    }
  ),

  "a late response between the look and the claim refuses the claim": Effect.gen(function* () {
    const { resolve } = yield* campaigns
    const first = yield* claim([rowOf("k")])
    yield* (yield* Time).pass("1 minute")
    yield* resolve("c", "resend")
    const { state, turn = 0 } = (yield* standingOf("k")) ?? {}
    expect(state).toBe("free")
    yield* settle(first, sent)
    expect((yield* claim([rowOf("k", turn)])).size).toBe(0)
  }),

  "only its own token settles a claim": Effect.gen(function* () {
    const claims = yield* claim([rowOf("k")])
    const [[, own] = ["", { key: "", turn: 0, token: "" }]] = claims
    yield* settle(new Map([["k", { ...own, token: "another" }]]), sent)
    yield* settle(new Map([["k", { ...own, turn: 1 }]]), sent)
    expect(yield* standingOf("k")).toMatchObject({ state: "in-flight" })
  }),

  "a changed row is told, unless the service had refused it": Effect.gen(function* () {
    yield* oneOfEach
    for (const key of ["sent", "unknown", "closed", "freed", "rejected", "in-flight"]) {
      expect(yield* standingOf(key), key).toMatchObject({ isChanged: false })
      expect(yield* standingOf(key, "changed"), key).toMatchObject({ isChanged: true })
    }
    expect((yield* claim([rowOf("rejected", 1, "changed")])).size).toBe(1)
    expect(yield* standingOf("rejected", "changed")).toMatchObject({ isChanged: false })
    expect(yield* standingOf("new")).toEqual({
      state: "free",
      turn: 0,
      isChanged: false,
      isUnresolved: false
    })
  }),

  "a request may start for ten seconds": Effect.gen(function* () {
    const { exchange } = yield* campaigns
    const { pass } = yield* Time
    const turn = { settle: [], claim: [rowOf("k")], token: "t", timeoutMillis }
    const { mayStart } = yield* exchange("c", turn)
    yield* pass("10 seconds")
    expect(mayStart()).toBe(true)
    yield* pass("1 millis")
    expect(mayStart()).toBe(false)
  }),

  "the names of campaigns keep their rows apart, and a row is a send of its own key": Effect.gen(
    function* () {
      const journal = yield* SendJournal
      const names = ["a", "a/b", "a%2Fb", "ab"]
      for (const name of names) expect((yield* claim([rowOf("b/k")], name, name)).size).toBe(1)
      for (const name of names) {
        expect(yield* journal.campaigns.counts(name)).toMatchObject({ "in-flight": 1 })
      }
      const sms = { recipient: "+15550101234", message: "Hello" }
      const request = journal.requestDigest(campaignKey("c/d", "k"), sms)
      yield* journal.sendOnce(campaignKey("c/d", "k"), sms)
      expect(yield* standingOf("k", request, "c/d")).toMatchObject({
        state: "sent",
        isChanged: false
      })
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
    const again = { outcome: "rejected", reason: "NotFound 404" } as const
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

  "the rows of a campaign are read in pages, in the order of their keys": Effect.gen(function* () {
    const { recipients, sends } = yield* campaigns
    yield* oneOfEach
    const keys = ["again", "closed", "freed", "in-flight", "rejected", "sent", "sent2", "unknown"]
    const pages = Effect.fnUntraced(function* (states?: ReadonlyArray<SendState>) {
      const found: Array<string> = []
      for (let after = ""; ; after = found.at(-1) ?? "") {
        const page = yield* sends("c", {
          limit: 3,
          after,
          ...(states === undefined ? {} : { states })
        })
        found.push(...page.map(({ key }) => key))
        if (page.length < 3) return found
      }
    })
    expect(yield* pages()).toEqual(keys)
    expect(yield* pages(["rejected", "sent"])).toEqual(["again", "rejected", "sent", "sent2"])
    expect(yield* sends("c", { limit: 1, states: ["rejected"] })).toMatchObject([
      { key: "rejected", turn: 0, reason: "InvalidRequest 400", recipient: "to rejected" }
    ])
    const written = ["again", "in-flight", "sent", "sent2", "unknown"]
    const first = yield* recipients("c", { limit: 2 })
    const rest = yield* recipients("c", { limit: 9, after: first.at(-1)?.key ?? "" })
    expect([...first, ...rest]).toEqual(written.map((key) => ({ key, recipient: `to ${key}` })))
  }),

  "a pruned campaign keeps its name, and is refused": Effect.gen(function* () {
    const { begin, counts, find, prune } = yield* campaigns
    yield* oneOfEach
    yield* begin("c")
    yield* claim([rowOf("k")], "now", "kept")
    expect(yield* prune("c", { unknown: true })).toBeUndefined()
    yield* (yield* Time).pass("1 minute")
    expect(yield* prune("c", { unknown: false })).toBeUndefined()
    expect(yield* begin("c")).toBeUndefined()
    // The second turn of a row goes with its first one.
    expect(yield* prune("c", { unknown: true })).toBe(9)
    expect((yield* find("c"))?.prunedAt).toEqual(expect.any(Number))
    expect(yield* find("another")).toBeUndefined()
    expect(yield* Effect.flip(begin("c"))).toMatchObject({ _tag: "CampaignPruned", campaign: "c" })
    expect((yield* claim([rowOf("sent")])).size).toBe(0)
    expect(yield* counts("kept")).toMatchObject({ unknown: 1 })
  }),

  "a campaign keeps the options that were given first": Effect.gen(function* () {
    const { begin, find } = yield* campaigns
    yield* begin("c")
    expect((yield* find("c"))?.options).toBeUndefined()
    yield* begin("c", { options: "first" })
    yield* begin("c", { options: "second" })
    yield* begin("c")
    expect((yield* find("c"))?.options).toBe("first")
  }),

  "the name of a campaign must be one that can be stored": Effect.gen(function* () {
    const { begin } = yield* campaigns
    for (const name of ["", "a\0b", "\uD800", "n".repeat(513)]) {
      expect(yield* Effect.flip(begin(name))).toMatchObject({
        _tag: "InvalidInput",
        field: "campaign"
      })
    }
  }),

  "a rate is taken by all together, and never more than it has": Effect.gen(function* () {
    const { reserve } = yield* campaigns
    const rate = { name: "messages", amount: 10, perSecond: 100 }
    const first = yield* reserve(rate)
    expect(first).toEqual({ isGranted: true, waitMillis: 0 })
    const calls = yield* Effect.all(
      Array.from({ length: 20 }, () => reserve(rate)),
      { concurrency: "unbounded" }
    )
    const granted = calls.filter(({ isGranted }) => isGranted)
    // 100 milliseconds of the rate are given out ahead.
    expect(granted.length).toBeLessThan(5)
    expect(granted.every(({ waitMillis }) => waitMillis <= 100)).toBe(true)
    expect(yield* reserve({ ...rate, name: "another" })).toEqual({ isGranted: true, waitMillis: 0 })
  })
}
