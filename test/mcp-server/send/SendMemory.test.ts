import type { Approval, Claim, SendKind } from "@messaging-topup/mcp-server/src/send/Claim.ts"
import type { Outcome } from "@messaging-topup/mcp-server/src/send/Outcome.ts"
import {
  type ClaimResult,
  type LookResult,
  SendMemory
} from "@messaging-topup/mcp-server/src/send/SendMemory.ts"
import { type Claim as Claimed, layerMemory } from "@messaging-topup/journal"
import { Refusal } from "@messaging-topup/mcp-server/src/results/Refusal.ts"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import fc from "fast-check"
import { expect, it } from "vitest"
import { isFull, runs } from "../../support/Runs.ts"

const windowMillis = Duration.toMillis("10 minutes")
const hourMillis = Duration.toMillis("1 hour")
const maxSendsPerHour = 3

const keys = ["a", "b", "c", "d", "e"]

/** Valid for longer than any history lasts. */
const approvalOf = (nonce: string): Approval => ({ nonce, expiresAtMillis: 1_000 * hourMillis })

const limit = {
  scope: "everyone",
  counts: "messages",
  limit: maxSendsPerHour,
  option: "max-sends-per-hour"
} as const

const claimOf = (key: string, kind: SendKind = "first", nonce?: string): Claim => ({
  key,
  principal: key < "c" ? "ann" : "bob",
  recipient: "+1",
  messages: 1,
  segments: 2,
  limits: [limit],
  kind,
  ...(nonce === undefined ? {} : { approval: approvalOf(nonce) })
})

const refusal = new Refusal({ code: "send_failed", what: "The SMS was not sent.", next: "" })

const outcomeOf = (tag: Outcome["_tag"], id: number, atMillis: number): Outcome => {
  switch (tag) {
    case "Sent":
      return {
        _tag: "Sent",
        results: [{ recipient: "+1", message_id: `m-${id}`, status: "Queued" }],
        readable: true,
        atMillis,
        untilMillis: atMillis + windowMillis
      }
    case "Unknown":
      return { _tag: "Unknown" }
    case "NotSent":
      return { _tag: "NotSent", refusal }
  }
}

/** One send of a message, from its claim on. */
interface Send {
  readonly claimedAt: number
  readonly kind: SendKind
  readonly claimed: Claimed
  /** The position in the order of all claims. */
  readonly number: number
  outcome?: Outcome
  /** The outcome that waiting calls receive: of the first send, if a second one did not go out. */
  outcomeForWaiting?: Outcome
  settledAt?: number
}

/** Computes the correct results from the complete history, of which nothing is deleted. */
class History {
  now = 0
  readonly sends = new Map<string, Array<Send>>(keys.map((key) => [key, []]))
  /** The decision on each question. */
  readonly used = new Map<string, "approved" | "declined">()

  of(key: string): Array<Send> {
    return this.sends.get(key) ?? []
  }

  inFlight(key: string): Send | undefined {
    return this.of(key).find(({ outcome }) => outcome === undefined)
  }

  /** Returns the outcome of the last send that still blocks others. */
  known(key: string): Outcome | undefined {
    const holding = this.of(key).filter(
      (send) => send.outcome !== undefined && send.outcome._tag !== "NotSent" && !this.isOver(send)
    )
    const last = holding.at(-1)?.outcome
    if (last?._tag !== "Unknown") return last
    // The last copy that went out, if it still blocks others.
    const first = holding.findLast(({ outcome }) => outcome?._tag === "Sent")?.outcome
    return { ...last, ...(first?._tag === "Sent" ? { first } : {}) }
  }

  isOver(send: Send): boolean {
    return send.outcome?._tag === "Sent" && this.now - (send.settledAt ?? 0) >= windowMillis
  }

  /** Returns the claim times of the sends in the last hour that went out, may have, or are in flight. */
  counted(): ReadonlyArray<number> {
    return [...this.sends.values()]
      .flat()
      .filter(({ outcome }) => outcome?._tag !== "NotSent")
      .map(({ claimedAt }) => claimedAt)
      .filter((at) => this.now - at < hourMillis)
      .toSorted((one, other) => one - other)
  }

  /** Returns the correct result of a claim. A claim always redeems its approval. */
  expectedOfClaim(claim: Claim): object {
    const expected = this.expected(claim)
    if (claim.approval === undefined) return expected
    const { nonce } = claim.approval
    const decided = this.used.get(nonce)
    if (decided === undefined) this.used.set(nonce, "approved")
    const isKnown = this.inFlight(claim.key) !== undefined || "outcome" in expected
    return decided !== undefined && !isKnown
      ? { _tag: "ApprovalUsed", approved: decided === "approved" }
      : expected
  }

  /** Returns the correct result, without the outcome to wait for. */
  expected({ key, kind }: Claim): object {
    if (this.inFlight(key) !== undefined) return { _tag: "InFlight" }
    const outcome = this.known(key)
    const passedOver = { first: undefined, resend: "Unknown", copy: "Sent", again: undefined }[kind]
    if (outcome !== undefined && outcome._tag !== passedOver) {
      return { _tag: "Duplicate", outcome }
    }
    const counted = this.counted()
    return counted.length < maxSendsPerHour
      ? {
          _tag: "Free",
          ...(kind === "copy" && outcome?._tag === "Sent" ? { first: outcome } : {}),
          unresolved:
            kind === "first" && this.of(key).some((send) => send.outcome?._tag === "Unknown")
        }
      : {
          _tag: "LimitReached",
          limit,
          retryAfterSeconds: Math.ceil(((counted[0] ?? 0) + hourMillis - this.now) / 1000)
        }
  }

  ids(principal: string): ReadonlyArray<string> {
    return keys
      .filter((key) => claimOf(key).principal === principal)
      .flatMap((key) => this.of(key))
      .filter(({ outcome }) => outcome?._tag === "Sent")
      .toSorted((one, other) => other.number - one.number)
      .flatMap(({ outcome }) => (outcome?._tag === "Sent" ? outcome.results : []))
      .map(({ message_id }) => message_id)
  }
}

type Step =
  | {
      readonly _tag: "Look" | "Claim"
      readonly key: string
      readonly kind: SendKind
      readonly nonce: string | undefined
    }
  | { readonly _tag: "Redeem"; readonly nonce: string }
  | { readonly _tag: "Settle"; readonly key: string; readonly as: Outcome["_tag"] }
  | { readonly _tag: "Pass"; readonly millis: number }

/** One key is frequent, so that many things happen to it. */
const key = fc.oneof(fc.constant("a"), fc.constantFrom(...keys))

const nonce = fc.integer({ min: 1, max: 20 }).map((number) => `nonce ${number}`)

const asks = fc.record({
  _tag: fc.constantFrom("Look" as const, "Claim" as const),
  key,
  kind: fc.constantFrom<SendKind>("first", "first", "resend", "copy", "again"),
  nonce: fc.option(nonce, { nil: undefined })
})

const redeems = fc.record({ _tag: fc.constant("Redeem" as const), nonce })

const settles = fc.record({
  _tag: fc.constant("Settle" as const),
  key,
  as: fc.constantFrom("Sent" as const, "Unknown" as const, "NotSent" as const)
})

const passes = fc.record({
  _tag: fc.constant("Pass" as const),
  // At the ends of the window and of the hour, and at any time.
  millis: fc.oneof(
    fc.constantFrom(1, windowMillis - 1, windowMillis, hourMillis - 1, hourMillis),
    fc.nat({ max: hourMillis / 3 })
  )
})

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: asks },
    { weight: 4, arbitrary: settles },
    { weight: 2, arbitrary: passes },
    { weight: 1, arbitrary: redeems }
  ),
  { minLength: 5, maxLength: 60 }
)

type Result = ClaimResult | LookResult

const tagOf = ({ _tag }: Result): string => _tag

const shown = (result: Result): object => {
  if (result._tag === "InFlight") return { _tag: result._tag }
  if (result._tag !== "Claimed") return result
  const { claimed: _, ...rest } = result
  return rest
}

/** A look returns `unresolved`, and a claim returns the first copy. */
const seenBy = ({ _tag }: Result, expected: object): object => {
  const { first, unresolved, ...rest }: { first?: Outcome; unresolved?: boolean } = expected
  if (_tag === "Available") return { ...rest, _tag, unresolved }
  return _tag === "Claimed"
    ? { ...rest, _tag, ...(first === undefined ? {} : { first }) }
    : expected
}

const follow = Effect.fnUntraced(function* (list: ReadonlyArray<Step>, seen: Set<string>) {
  const memory = yield* SendMemory
  const history = new History()
  const waiting: Array<{
    readonly send: Send
    readonly outcome: Effect.Effect<Outcome, Refusal>
  }> = []
  let ids = 0
  let number = 0
  for (const step of list) {
    switch (step._tag) {
      case "Pass": {
        history.now += step.millis
        yield* TestClock.adjust(step.millis)
        break
      }
      case "Settle": {
        const send = history.inFlight(step.key)
        if (send === undefined) break
        // Later than all steps before, so that ids have one order.
        history.now += 1
        yield* TestClock.adjust(1)
        send.outcome = outcomeOf(step.as, ids++, history.now)
        send.settledAt = history.now
        send.outcomeForWaiting =
          send.outcome._tag === "NotSent" ? (history.known(step.key) ?? send.outcome) : send.outcome
        yield* memory.settle(claimOf(step.key, send.kind), send.claimed, send.outcome)
        break
      }
      case "Redeem": {
        const decided = history.used.get(step.nonce)
        if (decided === undefined) history.used.set(step.nonce, "declined")
        expect(yield* memory.redeem(approvalOf(step.nonce))).toBe(decided)
        break
      }
      case "Look":
      case "Claim": {
        const claim = claimOf(step.key, step.kind, step.nonce)
        const expected =
          step._tag === "Look" ? history.expected(claim) : history.expectedOfClaim(claim)
        const result: Result =
          step._tag === "Look" ? yield* memory.look(claim) : yield* memory.claim(claim)
        expect(shown(result)).toEqual(seenBy(result, expected))
        seen.add(`${step._tag} ${tagOf(result)}`)
        const send = history.inFlight(step.key)
        if (result._tag === "InFlight" && send !== undefined) {
          waiting.push({ send, outcome: result.outcome })
        }
        if (result._tag === "Claimed") {
          history.of(step.key).push({
            claimedAt: history.now,
            kind: step.kind,
            claimed: result.claimed,
            number: number++
          })
        }
        break
      }
    }
    expect(history.counted().length).toBeLessThanOrEqual(maxSendsPerHour)
    for (const principal of ["ann", "bob"]) {
      expect(yield* memory.messageIds(principal)).toEqual(history.ids(principal))
    }
  }
  // A call that found a send in flight receives its outcome, whatever came later.
  for (const { outcome, send } of waiting) {
    if (send.outcomeForWaiting !== undefined) expect(yield* outcome).toEqual(send.outcomeForWaiting)
  }
})

const withMemory = <A, E>(effect: Effect.Effect<A, E, SendMemory>): Promise<A> =>
  Effect.runPromise(
    Effect.provide(
      effect,
      Layer.provideMerge(
        SendMemory.layer({
          journal: layerMemory,
          duplicateWindow: Duration.millis(windowMillis),
          unknownHold: Duration.infinity,
          staleAfter: Duration.hours(100_000)
        }),
        TestClock.layer()
      )
    )
  )

it("returns the correct result in every random history", async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(steps, (list) => withMemory(follow(list, seen))),
    { numRuns: runs(2_000) }
  )
  const results = ["LimitReached", "InFlight", "Duplicate"]
  const possible = new Set([
    ...["Claim", "Look"].flatMap((step) => results.map((result) => `${step} ${result}`)),
    "Claim ApprovalUsed",
    "Claim Claimed",
    "Look Available"
  ])
  expect([...seen].filter((result) => !possible.has(result))).toEqual([])
  // A part of the histories may lack the rarest result.
  if (isFull) expect(seen).toEqual(possible)
})

it("accepts each approval once until it expires", () =>
  withMemory(
    Effect.gen(function* () {
      const memory = yield* SendMemory
      const approval = { nonce: "one", expiresAtMillis: windowMillis }
      const claim = { ...claimOf("a"), approval }
      yield* memory.redeem(approval)
      // The approval expires at the last step.
      for (const millis of [0, 1, windowMillis - 1]) {
        yield* TestClock.adjust(millis)
        // A look does not redeem an approval, and forgets none too early.
        expect(yield* memory.look(claim)).toEqual({ _tag: "Available", unresolved: false })
        expect(yield* memory.claim(claim)).toEqual({ _tag: "ApprovalUsed", approved: false })
      }
      const other = { ...claim, approval: { ...approval, nonce: "two" } }
      const result = yield* memory.claim(other)
      if (result._tag !== "Claimed") return expect.fail(result._tag)
      yield* memory.settle(other, result.claimed, { _tag: "NotSent", refusal })
      expect(yield* memory.claim(other)).toEqual({ _tag: "ApprovalUsed", approved: true })
    })
  ))

it("returns the last hundred ids of each principal, newest first", () =>
  withMemory(
    Effect.gen(function* () {
      const memory = yield* SendMemory
      for (let id = 0; id < 240; id++) {
        const claim = { ...claimOf(`${id}`), principal: id % 2 === 0 ? "ann" : "bob", limits: [] }
        const result = yield* memory.claim(claim)
        if (result._tag !== "Claimed") return expect.fail(result._tag)
        yield* memory.settle(claim, result.claimed, outcomeOf("Sent", id, 0))
      }
      const ann = yield* memory.messageIds("ann")
      expect(ann).toHaveLength(100)
      expect(ann.slice(0, 2)).toEqual(["m-238", "m-236"])
      expect(yield* memory.messageIds("someone else")).toEqual([])
    })
  ))
