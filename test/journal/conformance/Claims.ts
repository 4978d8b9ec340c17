import { expect } from "@effect/vitest"
import { type Claim, type ClaimRequest, SendClaims } from "@messaging-topup/journal"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { request } from "../support/ClaimRequest.ts"

const hour = Duration.hours(1)

/** Claims a key, and throws if the claim is refused. */
export const claimed = Effect.fnUntraced(function* (key: string, more: Partial<ClaimRequest> = {}) {
  const claims = yield* SendClaims
  const result = yield* claims.claim(request(key, more))
  if (result._tag !== "Claimed") throw new Error(`The claim was refused: ${result._tag}`)
  return result.claim
})

const available = (unresolved: boolean) => ({ _tag: "Available", unresolved })

/** Claims a key, and returns the tag of the result. */
const resultOf = Effect.fnUntraced(function* (key: string, more: Partial<ClaimRequest> = {}) {
  const claims = yield* SendClaims
  return (yield* claims.claim(request(key, more)))._tag
})

const sent = (claim: Claim) =>
  Effect.flatMap(SendClaims, ({ settle }) =>
    settle(claim, { outcome: "sent", messages: [{ message_id: "m-1", status: "ok" }] })
  )

const unknown = (claim: Claim) =>
  Effect.flatMap(SendClaims, ({ settle }) => settle(claim, { outcome: "unknown" }))

const notSent = (claim: Claim) =>
  Effect.flatMap(SendClaims, ({ settle }) => settle(claim, { outcome: "not-sent" }))

/** The same random numbers in each run. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const states = Effect.flatMap(SendClaims, ({ recent }) =>
  Effect.map(recent({}, 10), (sends) => sends.map(({ state }) => state))
)

const keys = {
  "a key is claimed once, until its claim is settled": Effect.gen(function* () {
    const claims = yield* SendClaims
    const claim = yield* claimed("k")
    expect(yield* resultOf("k")).toBe("InFlight")
    expect(yield* claims.look(request("other"))).toEqual(available(false))
    yield* sent(claim)
    expect(yield* claims.look(request("k"))).toEqual({
      _tag: "Sent",
      at: 0,
      messages: [{ message_id: "m-1", status: "ok" }]
    })
  }),

  "of 30 concurrent claims, one is granted": Effect.gen(function* () {
    const claims = yield* SendClaims
    const all = Array.from({ length: 30 }, () => claims.claim(request("k")))
    const results = yield* TestClock.withLive(Effect.all(all, { concurrency: "unbounded" }))
    expect(results.filter(({ _tag }) => _tag === "Claimed")).toHaveLength(1)
  }),

  "the claim of a process that ended reads as unknown, and its late settlement counts": Effect.gen(
    function* () {
      const claim = yield* claimed("k")
      yield* TestClock.adjust("59 seconds")
      expect(yield* resultOf("k")).toBe("InFlight")
      yield* TestClock.adjust("1 second")
      expect(yield* resultOf("k")).toBe("Unknown")
      expect(yield* states).toEqual(["unknown"])
      yield* sent(claim)
      expect(yield* resultOf("k")).toBe("Sent")
      yield* unknown(claim)
      yield* notSent(claim)
      expect(yield* states).toEqual(["sent"])
    }
  ),

  "only the id of a claim settles it": Effect.gen(function* () {
    const claim = yield* claimed("k")
    yield* unknown(claim)
    yield* claimed("k", { over: "unknown" })
    yield* sent({ ...claim, id: "another" })
    expect(yield* states).toEqual(["in-flight", "unknown"])
    yield* sent(claim)
    expect(yield* states).toEqual(["in-flight", "sent"])
  }),

  "a repeated settlement changes nothing": Effect.gen(function* () {
    const claims = yield* SendClaims
    const claim = yield* claimed("k")
    yield* sent(claim)
    const before = yield* claims.recent({}, 10)
    yield* TestClock.adjust("1 second")
    yield* claims.settle(claim, { outcome: "sent", messages: [] })
    expect(yield* claims.recent({}, 10)).toEqual(before)
  }),

  "a resend that did not go out leaves the earlier send unknown": Effect.gen(function* () {
    yield* unknown(yield* claimed("k"))
    expect(yield* resultOf("k")).toBe("Unknown")
    const second = yield* claimed("k", { over: "unknown" })
    expect(yield* resultOf("k", { over: "unknown" })).toBe("InFlight")
    yield* notSent(second)
    expect(yield* resultOf("k")).toBe("Unknown")
  }),

  "sent SMS and unknown outcomes block others for different times": Effect.gen(function* () {
    const holds = { holdSent: Duration.minutes(10), holdUnknown: Duration.hours(24) }
    yield* sent(yield* claimed("a", holds))
    yield* unknown(yield* claimed("u", holds))
    yield* claimed("gone", holds)
    yield* TestClock.adjust("10 minutes")
    expect(yield* resultOf("a", holds)).toBe("Claimed")
    expect(yield* resultOf("u", holds)).toBe("Unknown")
    yield* TestClock.adjust("23 hours")
    expect(yield* resultOf("gone", holds)).toBe("Unknown")
    yield* TestClock.adjust("1 hour")
    expect(yield* resultOf("u", holds)).toBe("Claimed")
    expect(yield* resultOf("gone", holds)).toBe("Claimed")
    // Unknown sends without a decision stay in the list.
    expect((yield* states).filter((state) => state === "unknown")).toHaveLength(3)
  }),

  "a person decides by the id of the claim": Effect.gen(function* () {
    const claims = yield* SendClaims
    const claim = yield* claimed("k")
    expect(yield* claims.resolve(claim.id, "resend")).toBe(false)
    yield* unknown(claim)
    expect(yield* claims.resolve(claim.id, "resend")).toBe(true)
    expect(yield* claims.resolve(claim.id, "sent")).toBe(false)
    expect(yield* claims.resolve("nobody", "sent")).toBe(false)
    yield* sent(claim)
    expect(yield* resultOf("k")).toBe("Sent")
  }),

  "a person's decision blocks others for as long as the unknown outcome would have": Effect.gen(
    function* () {
      const claims = yield* SendClaims
      const holds = { holdUnknown: Duration.hours(24) }
      const claim = yield* claimed("k", holds)
      yield* unknown(claim)
      yield* TestClock.adjust("1 hour")
      expect(yield* claims.resolve(claim.id, "sent")).toBe(true)
      expect(yield* resultOf("k", holds)).toBe("Sent")
      yield* TestClock.adjust("23 hours")
      expect(yield* resultOf("k", holds)).toBe("Claimed")
    }
  )
}

const histories = {
  "after a decision to resend, the key has its earlier state again": Effect.gen(function* () {
    const claims = yield* SendClaims
    yield* sent(yield* claimed("k"))
    const copy = yield* claimed("k", { over: "sent" })
    yield* unknown(copy)
    expect(yield* claims.unresolved("k")).toBe(1)
    expect(yield* claims.look(request("k", { over: "unknown" }))).toEqual(available(true))
    expect(yield* claims.resolve(copy.id, "resend")).toBe(true)
    expect(yield* resultOf("k")).toBe("Sent")
    expect(yield* claims.unresolved("k")).toBe(0)
    expect(yield* claims.look(request("k", { over: "sent" }))).toEqual(available(false))
    expect(yield* claims.read(copy.id)).toMatchObject({ state: "resend" })
  }),

  "a claim made by a clock that was ahead is unknown, not in flight": Effect.gen(function* () {
    const claims = yield* SendClaims
    yield* TestClock.adjust("1 day")
    const { id } = yield* claimed("k")
    yield* TestClock.setTime(Duration.toMillis("22 hours"))
    expect(yield* claims.read(id)).toMatchObject({ state: "unknown" })
    expect(yield* resultOf("k")).toBe("Unknown")
  }),

  "each claim blocks others for its own time": Effect.gen(function* () {
    const holds = { holdSent: hour, holdUnknown: Duration.minutes(1) }
    yield* sent(yield* claimed("k", holds))
    yield* unknown(yield* claimed("k", { ...holds, over: "sent" }))
    expect(yield* resultOf("k", holds)).toBe("Unknown")
    yield* TestClock.adjust("3 minutes")
    expect(yield* resultOf("k", holds)).toBe("Sent")
    yield* TestClock.adjust("1 hour")
    expect(yield* resultOf("k", holds)).toBe("Claimed")
  }),

  "after a decision to resend, the earlier send counts towards no limit": Effect.gen(function* () {
    const claims = yield* SendClaims
    const limits = [{ scope: "all", amount: 1, max: 1, per: hour }]
    const claim = yield* claimed("k", { limits })
    yield* unknown(claim)
    expect(yield* resultOf("other", { limits })).toBe("LimitReached")
    yield* claims.resolve(claim.id, "resend")
    expect(yield* resultOf("other", { limits })).toBe("Claimed")
  })
}

const copies = {
  "a second copy can be claimed after a sent SMS, which stays in the journal": Effect.gen(
    function* () {
      const claims = yield* SendClaims
      const over = "sent"
      yield* sent(yield* claimed("k"))
      const first = { at: 0, messages: [{ message_id: "m-1", status: "ok" }] }
      yield* TestClock.adjust("1 second")
      const copy = yield* claims.claim(request("k", { over }))
      expect(copy).toMatchObject({ _tag: "Claimed", first })
      expect(yield* resultOf("k", { over })).toBe("InFlight")
      if (copy._tag === "Claimed") yield* notSent(copy.claim)
      expect(yield* claims.look(request("k"))).toEqual({ _tag: "Sent", ...first })
      yield* unknown(yield* claimed("k", { over }))
      expect(yield* claims.look(request("k", { over }))).toMatchObject({ _tag: "Unknown", first })
      // `over: "sent"` does not permit a send after one of unknown outcome.
      expect(yield* resultOf("k", { over })).toBe("Unknown")
    }
  )
}

const guards = {
  "limits count amounts, each in its scope": Effect.gen(function* () {
    const claims = yield* SendClaims
    const limit = (scope: string, amount: number, max: number) => ({
      scope,
      amount,
      max,
      per: hour
    })
    const big = yield* claimed("a", { limits: [limit("s", 3, 5), limit("m", 1, 2)] })
    yield* TestClock.adjust("10 minutes")
    yield* claimed("b", { limits: [limit("s", 2, 5), limit("m", 1, 2)] })
    expect(yield* claims.look(request("c", { limits: [limit("s", 1, 5)] }))).toMatchObject({
      _tag: "LimitReached",
      retryAfter: Duration.minutes(50)
    })
    expect(yield* claims.look(request("c", { limits: [limit("s", 4, 5)] }))).toMatchObject({
      retryAfter: Duration.minutes(60)
    })
    expect(yield* claims.look(request("c", { limits: [limit("s", 6, 5)] }))).toEqual({
      _tag: "LimitReached",
      limit: limit("s", 6, 5)
    })
    expect(yield* resultOf("other", { limits: [limit("t", 1, 1)] })).toBe("Claimed")
    yield* notSent(big)
    expect(yield* resultOf("c", { limits: [limit("s", 3, 5), limit("m", 1, 2)] })).toBe("Claimed")
  }),

  "a limit grants exactly its maximum, and a send that did not go out does not count": Effect.gen(
    function* () {
      const claims = yield* SendClaims
      const limits = [{ scope: "all", amount: 1, max: 20, per: hour }]
      const all = Array.from({ length: 50 }, (_, index) =>
        claims.claim(request(`k${index}`, { limits }))
      )
      const results = yield* Effect.all(all, { concurrency: "unbounded" })
      const granted = results.flatMap((each) => (each._tag === "Claimed" ? [each.claim] : []))
      expect(granted).toHaveLength(20)
      expect(yield* resultOf("free")).toBe("Claimed")
      yield* Effect.forEach(granted.slice(0, 2), notSent)
      yield* claimed("x1", { limits })
      yield* claimed("x2", { limits })
      expect(yield* resultOf("x3", { limits })).toBe("LimitReached")
    }
  ),

  "limits are exact, in whatever order clocks, claims and outcomes come": Effect.gen(function* () {
    const claims = yield* SendClaims
    const random = randomOf(7)
    const [max, per] = [30, Duration.toMillis(hour)]
    const counted: Array<{ readonly claim: Claim; readonly amount: number; readonly at: number }> =
      []
    let time = per
    const seen = new Set<string>()
    for (let step = 0; step < 400; step += 1) {
      // Up to three minutes pass, or the clock is up to a minute behind.
      time += random(4) * 60_000 - random(60_000)
      yield* TestClock.setTime(time)
      if (counted.length > 0 && random(5) === 0) {
        const [gone] = counted.splice(random(counted.length), 1)
        if (gone !== undefined) yield* notSent(gone.claim)
        continue
      }
      const amount = 1 + random(3)
      const inPeriod = counted
        .filter(({ at }) => at > time - per)
        .toSorted((one, other) => one.at - other.at)
      let excess = inPeriod.reduce((sum, each) => sum + each.amount, amount) - max
      const fits = inPeriod.find((each) => {
        excess -= each.amount
        return excess <= 0
      })
      const limits = [{ scope: "all", amount, max, per: hour }]
      const staleAfter = Duration.hours(100)
      const result = yield* claims.claim(request(`k${step}`, { limits, staleAfter }))
      seen.add(result._tag)
      if (result._tag === "Claimed") {
        expect(inPeriod.reduce((sum, each) => sum + each.amount, amount)).toBeLessThanOrEqual(max)
        counted.push({ claim: result.claim, amount, at: time })
      } else {
        expect(result).toMatchObject({
          _tag: "LimitReached",
          retryAfter: Duration.millis((fits?.at ?? time) + per - time)
        })
      }
    }
    expect([...seen].toSorted()).toEqual(["Claimed", "LimitReached"])
  }),

  "a limit says when the next claim fits, and the period slides": Effect.gen(function* () {
    const claims = yield* SendClaims
    const limits = [
      { scope: "all", amount: 1, max: 2, per: hour },
      { scope: "all of a day", amount: 1, max: 3, per: Duration.hours(24) }
    ]
    yield* claimed("a", { limits })
    yield* TestClock.adjust("20 minutes")
    yield* claimed("b", { limits })
    const look = claims.look(request("c", { limits }))
    expect(yield* look).toEqual({
      _tag: "LimitReached",
      limit: limits[0],
      retryAfter: Duration.minutes(40)
    })
    yield* TestClock.adjust("40 minutes")
    yield* claimed("c", { limits })
    expect(yield* look).toMatchObject({ _tag: "InFlight" })
    yield* TestClock.adjust("1 hour")
    expect(yield* claims.look(request("d", { limits }))).toEqual({
      _tag: "LimitReached",
      limit: limits[1],
      retryAfter: Duration.hours(22)
    })
    expect(
      yield* resultOf("none", { limits: [{ scope: "all", amount: 1, max: 0, per: hour }] })
    ).toBe("LimitReached")
  }),

  "an approval is valid for one claim": Effect.gen(function* () {
    const claims = yield* SendClaims
    const approval = { nonce: "n", expiresAt: 60_000 }
    yield* sent(yield* claimed("a", { approval }))
    expect(yield* resultOf("b", { approval })).toBe("ApprovalUsed")
    // An earlier sent SMS is reported before a redeemed approval.
    expect(yield* resultOf("a", { approval })).toBe("Sent")
    const declined = { nonce: "d", expiresAt: 60_000 }
    expect(yield* claims.redeem(declined, false)).toBeUndefined()
    expect(yield* claims.redeem(declined, false)).toBe("declined")
    expect(yield* claims.redeem(approval, false)).toBe("approved")
    for (const [used, approved] of [
      [declined, false],
      [approval, true]
    ] as const) {
      expect(yield* claims.claim(request("c", { approval: used }))).toEqual({
        _tag: "ApprovalUsed",
        approved
      })
    }
  }),

  "what is used of a limit is what was claimed within its period": Effect.gen(function* () {
    const claims = yield* SendClaims
    const limit = { scope: "used", amount: 2, max: 10, per: Duration.minutes(1) }
    const other = { ...limit, scope: "other" }
    expect(yield* claims.used([limit, other])).toEqual([0, 0])
    yield* sent(yield* claimed("u-1", { limits: [limit] }))
    yield* unknown(yield* claimed("u-2", { limits: [limit] }))
    yield* claims.settle(yield* claimed("u-3", { limits: [limit] }), { outcome: "not-sent" })
    expect(yield* claims.used([limit, other])).toEqual([4, 0])
    yield* TestClock.adjust("1 minute")
    expect(yield* claims.used([limit])).toEqual([0])
  }),

  "a claim that a limit refuses still redeems its approval": Effect.gen(function* () {
    const approval = { nonce: "n", expiresAt: 60_000 }
    const limits = [{ scope: "all", amount: 1, max: 0, per: hour }]
    expect(yield* resultOf("a", { approval, limits })).toBe("LimitReached")
    expect(yield* resultOf("a", { approval })).toBe("ApprovalUsed")
  }),

  "the last sends are listed by principal, newest first": Effect.gen(function* () {
    const claims = yield* SendClaims
    yield* sent(yield* claimed("a"))
    yield* TestClock.adjust("1 second")
    yield* unknown(yield* claimed("b"))
    yield* claimed("c", { principal: "q" })
    const mine = yield* claims.recent({ principal: "p" }, 10)
    expect(mine).toMatchObject([
      { key: "b", principal: "p", state: "unknown", claimedAt: 1000, messages: [] },
      { key: "a", state: "sent", claimedAt: 0, messages: [{ message_id: "m-1" }] }
    ])
    expect(yield* claims.recent({ principal: "p" }, 1)).toEqual(mine.slice(0, 1))
    expect(yield* claims.recent({ unknown: true }, 10)).toEqual(mine.slice(0, 1))
    expect(yield* claims.recent({ principal: "p", since: 1000 }, 10)).toEqual(mine.slice(0, 1))
    expect(yield* claims.recent({ principal: "p", before: mine[0]?.id ?? "" }, 10)).toEqual(
      mine.slice(1)
    )
    expect(yield* claims.recent({ before: "no such id" }, 10)).toEqual([])
    expect(yield* claims.count({ principal: "p" })).toEqual({ total: 2, oldestAt: 0 })
    expect(yield* claims.count({ since: 1000 })).toEqual({ total: 2, oldestAt: 1000 })
    expect(yield* claims.count({ principal: "nobody" })).toEqual({ total: 0 })
  }),

  "a digest is the same for the same values, and differs for other values": Effect.gen(
    function* () {
      const { digest } = yield* SendClaims
      expect(digest(["a", "bc"])).toBe(digest(["a", "bc"]))
      expect(digest(["a", "bc"])).not.toBe(digest(["ab", "c"]))
    }
  )
}

export const claims = { ...keys, ...histories, ...copies, ...guards }
