import type { PlannedSend, SendKind } from "@messaging-topup/mcp-server/src/send/PlannedSend.ts"
import type { EndedSend } from "@messaging-topup/mcp-server/src/send/SendEnd.ts"
import {
  type ClaimResult,
  type LookResult,
  SendMemory
} from "@messaging-topup/mcp-server/src/send/SendMemory.ts"
import type { SendOutcome } from "@messaging-topup/core"
import { type Approval, type Claim, layerMemory } from "@messaging-topup/journal"
import { Refusal } from "@messaging-topup/mcp-server/src/send/Refusal.ts"
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
const approvalOf = (nonce: string): Approval => ({ nonce, expiresAt: 1_000 * hourMillis })

const limit = {
  scope: "everyone",
  counts: "messages",
  limit: maxSendsPerHour,
  option: "max-sends-per-hour"
} as const

const plannedOf = (key: string, kind: SendKind = "first", nonce?: string): PlannedSend => ({
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

const endOf = (outcome: SendOutcome, id: number, atMillis: number): EndedSend => {
  switch (outcome) {
    case "sent":
      return {
        outcome,
        results: [{ recipient: "+1", message_id: `m-${id}`, status: "Queued" }],
        atMillis,
        untilMillis: atMillis + windowMillis
      }
    case "unknown":
      return { outcome }
    case "not-sent":
      return { outcome, refusal }
  }
}

/** One send of a message, from its claim on. */
interface Send {
  readonly claimedAt: number
  readonly kind: SendKind
  readonly claim: Claim
  /** The position in the order of all claims. */
  readonly number: number
  ended?: EndedSend
  /** The outcome that waiting calls receive: of the first send, if a second one did not go out. */
  endForWaiting?: EndedSend
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
    return this.of(key).find(({ ended }) => ended === undefined)
  }

  /** Returns the outcome of the last send that still blocks others. */
  known(key: string): EndedSend | undefined {
    const holding = this.of(key).filter(
      (send) => send.ended !== undefined && send.ended.outcome !== "not-sent" && !this.isOver(send)
    )
    const last = holding.at(-1)?.ended
    if (last?.outcome !== "unknown") return last
    // The last copy that went out, if it still blocks others.
    const first = holding.findLast(({ ended }) => ended?.outcome === "sent")?.ended
    return { ...last, ...(first?.outcome === "sent" ? { first } : {}) }
  }

  isOver(send: Send): boolean {
    return send.ended?.outcome === "sent" && this.now - (send.settledAt ?? 0) >= windowMillis
  }

  /** Returns the claim times of the sends in the last hour that went out, may have, or are in flight. */
  counted(): ReadonlyArray<number> {
    return [...this.sends.values()]
      .flat()
      .filter(({ ended }) => ended?.outcome !== "not-sent")
      .map(({ claimedAt }) => claimedAt)
      .filter((at) => this.now - at < hourMillis)
      .toSorted((one, other) => one - other)
  }

  /** Returns the correct result of a claim. A claim always redeems its approval. */
  expectedOfClaim(claim: PlannedSend): object {
    const expected = this.expected(claim)
    if (claim.approval === undefined) return expected
    const { nonce } = claim.approval
    const decided = this.used.get(nonce)
    if (decided === undefined) this.used.set(nonce, "approved")
    const isKnown = this.inFlight(claim.key) !== undefined || "ended" in expected
    return decided !== undefined && !isKnown
      ? { _tag: "ApprovalUsed", approved: decided === "approved" }
      : expected
  }

  /** Returns the correct result, without the outcome to wait for. */
  expected({ key, kind }: PlannedSend): object {
    if (this.inFlight(key) !== undefined) return { _tag: "InFlight" }
    const ended = this.known(key)
    const passedOver = { first: undefined, resend: "unknown", copy: "sent", again: undefined }[kind]
    if (ended !== undefined && ended.outcome !== passedOver) {
      return { _tag: "Duplicate", ended }
    }
    const counted = this.counted()
    return counted.length < maxSendsPerHour
      ? {
          _tag: "Free",
          ...(kind === "copy" && ended?.outcome === "sent" ? { first: ended } : {}),
          unresolved:
            kind === "first" && this.of(key).some((send) => send.ended?.outcome === "unknown")
        }
      : {
          _tag: "LimitReached",
          limit,
          retryAfterSeconds: Math.ceil(((counted[0] ?? 0) + hourMillis - this.now) / 1000)
        }
  }

  ids(principal: string): ReadonlyArray<string> {
    return keys
      .filter((key) => plannedOf(key).principal === principal)
      .flatMap((key) => this.of(key))
      .filter(({ ended }) => ended?.outcome === "sent")
      .toSorted((one, other) => other.number - one.number)
      .flatMap(({ ended }) => (ended?.outcome === "sent" ? ended.results : []))
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
  | { readonly _tag: "Settle"; readonly key: string; readonly as: SendOutcome }
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
  as: fc.constantFrom("sent" as const, "unknown" as const, "not-sent" as const)
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
  const { claim: _, ...rest } = result
  return rest
}

/** A look returns `unresolved`, and a claim returns the first copy. */
const seenBy = ({ _tag }: Result, expected: object): object => {
  const { first, unresolved, ...rest }: { first?: EndedSend; unresolved?: boolean } = expected
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
    readonly ended: Effect.Effect<EndedSend, Refusal>
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
        send.ended = endOf(step.as, ids++, history.now)
        send.settledAt = history.now
        send.endForWaiting =
          send.ended.outcome === "not-sent" ? (history.known(step.key) ?? send.ended) : send.ended
        yield* memory.settle(plannedOf(step.key, send.kind), send.claim, send.ended)
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
        const claim = plannedOf(step.key, step.kind, step.nonce)
        const expected =
          step._tag === "Look" ? history.expected(claim) : history.expectedOfClaim(claim)
        const result: Result =
          step._tag === "Look" ? yield* memory.look(claim) : yield* memory.claim(claim)
        expect(shown(result)).toEqual(seenBy(result, expected))
        seen.add(`${step._tag} ${tagOf(result)}`)
        const send = history.inFlight(step.key)
        if (result._tag === "InFlight" && send !== undefined) {
          waiting.push({ send, ended: result.ended })
        }
        if (result._tag === "Claimed") {
          history.of(step.key).push({
            claimedAt: history.now,
            kind: step.kind,
            claim: result.claim,
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
  for (const { ended, send } of waiting) {
    if (send.endForWaiting !== undefined) expect(yield* ended).toEqual(send.endForWaiting)
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
      const approval = { nonce: "one", expiresAt: windowMillis }
      const claim = { ...plannedOf("a"), approval }
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
      yield* memory.settle(other, result.claim, { outcome: "not-sent", refusal })
      expect(yield* memory.claim(other)).toEqual({ _tag: "ApprovalUsed", approved: true })
    })
  ))

it("returns the last hundred ids of each principal, newest first", () =>
  withMemory(
    Effect.gen(function* () {
      const memory = yield* SendMemory
      for (let id = 0; id < 240; id++) {
        const claim = { ...plannedOf(`${id}`), principal: id % 2 === 0 ? "ann" : "bob", limits: [] }
        const result = yield* memory.claim(claim)
        if (result._tag !== "Claimed") return expect.fail(result._tag)
        yield* memory.settle(claim, result.claim, endOf("sent", id, 0))
      }
      const ann = yield* memory.messageIds("ann")
      expect(ann).toHaveLength(100)
      expect(ann.slice(0, 2)).toEqual(["m-238", "m-236"])
      expect(yield* memory.messageIds("someone else")).toEqual([])
    })
  ))
