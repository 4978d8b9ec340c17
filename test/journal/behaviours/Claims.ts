import { expect } from "@effect/vitest"
import { type Claim, type ClaimRequest, SendClaims } from "@messaging-topup/journal"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { request } from "../support/ClaimRequest.ts"

const hour = Duration.hours(1)

/** The claim, which must be there to have. */
export const claimed = Effect.fnUntraced(function* (key: string, more: Partial<ClaimRequest> = {}) {
  const claims = yield* SendClaims
  const result = yield* claims.claim(request(key, more))
  if (result._tag !== "Claimed") throw new Error(`The claim met ${result._tag}`)
  return result.claim
})

/** What stands against a claim. */
const obstacle = Effect.fnUntraced(function* (key: string, more: Partial<ClaimRequest> = {}) {
  const claims = yield* SendClaims
  return (yield* claims.claim(request(key, more)))._tag
})

const accept = (claim: Claim) =>
  Effect.flatMap(SendClaims, ({ settle }) =>
    settle(claim, { _tag: "Accepted", messages: [{ message_id: "m-1", status: "ok" }] })
  )

const unknown = (claim: Claim) =>
  Effect.flatMap(SendClaims, ({ settle }) => settle(claim, { _tag: "Unknown" }))

const notSent = (claim: Claim) =>
  Effect.flatMap(SendClaims, ({ settle }) => settle(claim, { _tag: "NotSent" }))

const known = Effect.flatMap(SendClaims, ({ recent }) =>
  Effect.map(recent({}, 10), (sends) => sends.map(({ state }) => state))
)

const keys = {
  "a key is claimed once, until its claim is settled": Effect.gen(function* () {
    const claims = yield* SendClaims
    const claim = yield* claimed("k")
    expect(yield* obstacle("k")).toBe("InFlight")
    expect(yield* claims.look(request("other"))).toBeUndefined()
    yield* accept(claim)
    expect(yield* claims.look(request("k"))).toEqual({
      _tag: "Accepted",
      messages: [{ message_id: "m-1", status: "ok" }]
    })
  }),

  "of 30 claims at once one is granted": Effect.gen(function* () {
    const claims = yield* SendClaims
    const all = Array.from({ length: 30 }, () => claims.claim(request("k")))
    const results = yield* TestClock.withLive(Effect.all(all, { concurrency: "unbounded" }))
    expect(results.filter(({ _tag }) => _tag === "Claimed")).toHaveLength(1)
  }),

  "a claim whose process is gone reads as unknown, and its late settlement counts": Effect.gen(
    function* () {
      const claim = yield* claimed("k")
      yield* TestClock.adjust("59 seconds")
      expect(yield* obstacle("k")).toBe("InFlight")
      yield* TestClock.adjust("1 second")
      expect(yield* obstacle("k")).toBe("Unknown")
      expect(yield* known).toEqual(["unknown"])
      yield* accept(claim)
      expect(yield* obstacle("k")).toBe("Accepted")
      yield* unknown(claim)
      yield* notSent(claim)
      expect(yield* known).toEqual(["accepted"])
    }
  ),

  "a claim is settled by its own id alone": Effect.gen(function* () {
    const claim = yield* claimed("k")
    yield* unknown(claim)
    yield* claimed("k", { resend: true })
    yield* accept({ ...claim, id: "another" })
    expect(yield* known).toEqual(["in-flight", "unknown"])
    yield* accept(claim)
    expect(yield* known).toEqual(["in-flight", "accepted"])
  }),

  "a settlement that is repeated changes nothing": Effect.gen(function* () {
    const claims = yield* SendClaims
    const claim = yield* claimed("k")
    yield* accept(claim)
    const before = yield* claims.recent({}, 10)
    yield* TestClock.adjust("1 second")
    yield* claims.settle(claim, { _tag: "Accepted", messages: [] })
    expect(yield* claims.recent({}, 10)).toEqual(before)
  }),

  "a resend that did not go out leaves the earlier send unknown": Effect.gen(function* () {
    yield* unknown(yield* claimed("k"))
    expect(yield* obstacle("k")).toBe("Unknown")
    const second = yield* claimed("k", { resend: true })
    expect(yield* obstacle("k", { resend: true })).toBe("InFlight")
    yield* notSent(second)
    expect(yield* obstacle("k")).toBe("Unknown")
  }),

  "an accepted send holds others back for a time, an unknown one for another": Effect.gen(
    function* () {
      const holds = { holdAccepted: Duration.minutes(10), holdUnknown: Duration.hours(24) }
      yield* accept(yield* claimed("a", holds))
      yield* unknown(yield* claimed("u", holds))
      yield* claimed("gone", holds)
      yield* TestClock.adjust("10 minutes")
      expect(yield* obstacle("a", holds)).toBe("Claimed")
      expect(yield* obstacle("u", holds)).toBe("Unknown")
      yield* TestClock.adjust("23 hours")
      expect(yield* obstacle("gone", holds)).toBe("Unknown")
      yield* TestClock.adjust("1 hour")
      expect(yield* obstacle("u", holds)).toBe("Claimed")
      expect(yield* obstacle("gone", holds)).toBe("Claimed")
      // What nobody decided on stays in the list.
      expect((yield* known).filter((state) => state === "unknown")).toHaveLength(3)
    }
  ),

  "a person decides by the id of the claim": Effect.gen(function* () {
    const claims = yield* SendClaims
    const claim = yield* claimed("k")
    expect(yield* claims.resolve(claim.id, "resend")).toBe(false)
    yield* unknown(claim)
    expect(yield* claims.resolve(claim.id, "resend")).toBe(true)
    expect(yield* claims.resolve(claim.id, "accepted")).toBe(false)
    expect(yield* claims.resolve("nobody", "accepted")).toBe(false)
    yield* accept(claim)
    expect(yield* obstacle("k")).toBe("Accepted")
  }),

  "what a person decided holds others back for as long as the unknown outcome did": Effect.gen(
    function* () {
      const claims = yield* SendClaims
      const holds = { holdUnknown: Duration.hours(24) }
      const claim = yield* claimed("k", holds)
      yield* unknown(claim)
      yield* TestClock.adjust("1 hour")
      expect(yield* claims.resolve(claim.id, "accepted")).toBe(true)
      expect(yield* obstacle("k", holds)).toBe("Accepted")
      yield* TestClock.adjust("23 hours")
      expect(yield* obstacle("k", holds)).toBe("Claimed")
    }
  )
}

const guards = {
  "a limit lets through as many as it says, and what did not go out does not count": Effect.gen(
    function* () {
      const claims = yield* SendClaims
      const limits = [{ max: 20, per: hour }]
      const all = Array.from({ length: 50 }, (_, index) =>
        claims.claim(request(`k${index}`, { limits }))
      )
      const results = yield* Effect.all(all, { concurrency: "unbounded" })
      const granted = results.flatMap((each) => (each._tag === "Claimed" ? [each.claim] : []))
      expect(granted).toHaveLength(20)
      expect(yield* obstacle("free")).toBe("Claimed")
      yield* Effect.forEach(granted.slice(0, 2), notSent)
      yield* claimed("x1", { limits })
      yield* claimed("x2", { limits })
      expect(yield* obstacle("x3", { limits })).toBe("LimitReached")
    }
  ),

  "a limit says when the next claim fits, and the period slides": Effect.gen(function* () {
    const claims = yield* SendClaims
    const limits = [
      { max: 2, per: hour },
      { max: 3, per: Duration.hours(24) }
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
    expect(yield* obstacle("none", { limits: [{ max: 0, per: hour }] })).toBe("LimitReached")
  }),

  "an approval is good for one claim": Effect.gen(function* () {
    const claims = yield* SendClaims
    const approval = { nonce: "n", expiresAt: 60_000 }
    yield* accept(yield* claimed("a", { approval }))
    expect(yield* obstacle("b", { approval })).toBe("ApprovalUsed")
    // What is known of the send says more.
    expect(yield* obstacle("a", { approval })).toBe("Accepted")
    const declined = { nonce: "d", expiresAt: 60_000 }
    expect(yield* claims.redeem(declined)).toBe(true)
    expect(yield* claims.redeem(declined)).toBe(false)
    expect(yield* obstacle("c", { approval: declined })).toBe("ApprovalUsed")
  }),

  "a claim that a limit holds back uses its approval up": Effect.gen(function* () {
    const approval = { nonce: "n", expiresAt: 60_000 }
    const limits = [{ max: 0, per: hour }]
    expect(yield* obstacle("a", { approval, limits })).toBe("LimitReached")
    expect(yield* obstacle("a", { approval })).toBe("ApprovalUsed")
  }),

  "the last sends are listed by principal, newest first": Effect.gen(function* () {
    const claims = yield* SendClaims
    yield* accept(yield* claimed("a"))
    yield* TestClock.adjust("1 second")
    yield* unknown(yield* claimed("b"))
    yield* claimed("c", { principal: "q" })
    const mine = yield* claims.recent({ principal: "p" }, 10)
    expect(mine).toMatchObject([
      { key: "b", principal: "p", state: "unknown", claimedAt: 1000, messages: [] },
      { key: "a", state: "accepted", claimedAt: 0, messages: [{ message_id: "m-1" }] }
    ])
    expect(yield* claims.recent({ principal: "p" }, 1)).toEqual(mine.slice(0, 1))
    expect(yield* claims.recent({ unknown: true }, 10)).toEqual(mine.slice(0, 1))
  }),

  "a digest is the same for the same parts, and tells them apart": Effect.gen(function* () {
    const { digest } = yield* SendClaims
    expect(digest(["a", "bc"])).toBe(digest(["a", "bc"]))
    expect(digest(["a", "bc"])).not.toBe(digest(["ab", "c"]))
  })
}

export const claims = { ...keys, ...guards }
