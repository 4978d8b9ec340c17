/**
 * The state of the guards: sends, what they count towards limits, and used approvals.
 *
 * It is stored in a journal, whose claims are atomic across all processes that share it. The journal
 * is opened when the first call needs it. While it is unavailable, nothing is sent.
 */
import {
  type Claim as Claimed,
  type ClaimRequest,
  type JournalError,
  type KnownSend,
  type Obstacle,
  SendClaims
} from "@messaging-topup/journal"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { memoryUnavailable, memoryUnreadable, type Refusal } from "../results/Refusal.ts"
import { visible } from "../results/Text.ts"
import type { Approval, Claim, SendLimit, SentOutcome } from "./Claim.ts"
import { cachedSuccess } from "./CachedSuccess.ts"
import {
  limitOf,
  type Outcome,
  outcomeOfObstacle,
  outcomeOfSend,
  overByKind,
  sentOf,
  settlementOf,
  unknown
} from "./Outcome.ts"

const periods = { messages: Duration.hours(1), segments: Duration.days(1) } as const

/** Why a send may not go out now. */
type Blocked =
  /** `retryAfterSeconds` is absent if this send alone exceeds the limit. */
  | {
      readonly _tag: "LimitReached"
      readonly limit: SendLimit
      readonly retryAfterSeconds?: number
    }
  /** The person decided on this question before. `approved` says how. */
  | { readonly _tag: "ApprovalUsed"; readonly approved: boolean }
  /** Another call is sending the same SMS. */
  | { readonly _tag: "InFlight"; readonly outcome: Effect.Effect<Outcome, Refusal> }
  /** An earlier call sent the same SMS, or may have sent it. */
  | { readonly _tag: "Duplicate"; readonly outcome: Outcome }

export type LookResult =
  | Blocked
  /** `unresolved`: an earlier send has an unknown outcome, and no longer blocks this one. */
  | { readonly _tag: "Available"; readonly unresolved: boolean }

export type ClaimResult =
  | Blocked
  /** The caller has the right to send, until it calls `settle`. */
  | { readonly _tag: "Claimed"; readonly claimed: Claimed; readonly first?: SentOutcome }

export interface SendMemoryOptions {
  readonly journal: Layer.Layer<SendClaims, JournalError>
  /** How long a send that went out blocks the same SMS. */
  readonly duplicateWindow: Duration.Duration
  /** How long a send of unknown outcome blocks the same SMS. */
  readonly unknownHold: Duration.Duration
  /** After this time, a claim without an outcome counts as unknown. */
  readonly staleAfter: Duration.Duration
}

export class SendMemory extends Context.Service<
  SendMemory,
  {
    /** Returns the same digest in all processes that share the journal. */
    readonly digest: (parts: ReadonlyArray<string>) => Effect.Effect<string, Refusal>
    /** Returns the result that `claim` would return, without claiming. */
    readonly look: (claim: Claim) => Effect.Effect<LookResult, Refusal>
    /** Claims the right to send. It is on disk before this returns. */
    readonly claim: (claim: Claim) => Effect.Effect<ClaimResult, Refusal>
    /**
     * Ends a claim, and passes the outcome to the calls that wait for it. If the journal is
     * unavailable, the outcome is written later.
     */
    readonly settle: (claim: Claim, claimed: Claimed, outcome: Outcome) => Effect.Effect<void>
    /**
     * Marks the question of an approval as declined, without a claim. Returns the earlier decision on
     * it, if there was one.
     */
    readonly redeem: (
      approval: Approval
    ) => Effect.Effect<"approved" | "declined" | undefined, Refusal>
    /** Returns the last sends of a principal, newest first. */
    readonly recent: (
      principal: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<KnownSend>, Refusal>
    /** Returns the ids of a principal's last messages, newest first. */
    readonly messageIds: (principal: string) => Effect.Effect<ReadonlyArray<string>>
  }
>()("@messaging-topup/mcp-server/send/SendMemory") {
  static readonly layer = (options: SendMemoryOptions): Layer.Layer<SendMemory> =>
    Layer.effect(SendMemory, make(options))
}

const rememberedIds = 100

/** Longer ids, and ids with invisible characters, are not offered for completion. */
const maxIdLength = 200

const everySecond = Schedule.spaced("1 second")

/** How long a result waits until the journal has written its outcome. */
const writeTimeout = "2 seconds"

/** How long a shutdown waits for outcomes that are not written yet. */
const shutdownTimeout = "5 seconds"

const make = Effect.fnUntraced(function* (options: SendMemoryOptions) {
  const { duplicateWindow, staleAfter, unknownHold } = options
  const pending = new Set<Fiber.Fiber<void>>()
  // On shutdown, outcomes that are not written yet get some time before the journal closes.
  const journalScope = yield* Scope.make()
  const writes = yield* Scope.make()
  yield* Effect.addFinalizer((exit) =>
    Effect.suspend(() => Effect.forEach(pending, Fiber.await, { discard: true })).pipe(
      Effect.timeoutOption(shutdownTimeout),
      Effect.andThen(Scope.close(writes, exit)),
      Effect.andThen(Scope.close(journalScope, exit))
    )
  )
  const open = cachedSuccess(Layer.buildWithScope(options.journal, journalScope))
  /** The sends of this process that are in flight, by the id of their claim. */
  const inFlight = new Map<string, Deferred.Deferred<Outcome>>()

  const claims = Effect.map(open, (context) => Context.get(context, SendClaims)).pipe(
    Effect.mapError(memoryUnavailable)
  )

  const using = <A>(
    use: (service: SendClaims["Service"]) => Effect.Effect<A, JournalError>
  ): Effect.Effect<A, Refusal> =>
    Effect.flatMap(claims, (service) => Effect.mapError(use(service), memoryUnavailable))

  const requestOf = (claim: Claim): ClaimRequest => ({
    key: claim.key,
    principal: claim.principal,
    fields: {},
    limits: claim.limits.map(({ counts, limit, scope: whose }) => ({
      scope: `${counts} of ${whose}`,
      amount: claim[counts],
      max: limit,
      per: periods[counts]
    })),
    staleAfter,
    holdSent: duplicateWindow,
    holdUnknown: unknownHold,
    over: overByKind[claim.kind],
    ...(claim.approval === undefined
      ? {}
      : {
          approval: { nonce: claim.approval.nonce, expiresAt: claim.approval.expiresAtMillis }
        })
  })

  /**
   * Waits for the outcome of a send of another process. It is unknown if the journal becomes
   * unavailable, or the other process is gone.
   */
  const outcomeElsewhere = (claim: Claim, id: string): Effect.Effect<Outcome> =>
    using((service) => service.read(id)).pipe(
      Effect.repeat({
        while: (send) => send?.state === "in-flight",
        schedule: Schedule.spaced("200 millis")
      }),
      Effect.map((send) => outcomeOfSend(claim, send)),
      Effect.orElseSucceed(() => unknown),
      Effect.timeoutOrElse({ duration: staleAfter, orElse: () => Effect.succeed(unknown) })
    )

  const blockedBy = (claim: Claim, request: ClaimRequest, found: Obstacle): Blocked => {
    switch (found._tag) {
      case "InFlight": {
        const own = inFlight.get(found.id)
        return {
          _tag: "InFlight",
          outcome: own === undefined ? outcomeElsewhere(claim, found.id) : Deferred.await(own)
        }
      }
      case "ApprovalUsed":
        return { _tag: "ApprovalUsed", approved: found.approved }
      case "LimitReached": {
        const limit = limitOf(claim, request, found.limit)
        if (limit === undefined) break
        return {
          _tag: "LimitReached",
          limit,
          ...(found.retryAfter === undefined
            ? {}
            : { retryAfterSeconds: Math.ceil(Duration.toSeconds(found.retryAfter)) })
        }
      }
      case "Sent":
      case "Unknown":
      case "Conflict":
      case "Rejected":
        break
    }
    // `Conflict` and `Rejected` do not occur: keys are digests of all fields, and nothing is rejected.
    return { _tag: "Duplicate", outcome: outcomeOfObstacle(claim, found) ?? unknown }
  }

  const look = Effect.fnUntraced(function* (claim: Claim): Effect.fn.Return<LookResult, Refusal> {
    const request = requestOf(claim)
    const found = yield* using((service) => service.look(request))
    if (found !== undefined) return blockedBy(claim, request, found)
    const unresolved =
      claim.kind === "first" && (yield* using((service) => service.isUnresolved(claim.key)))
    return { _tag: "Available", unresolved }
  })

  const claimSend = Effect.fnUntraced(function* (
    claim: Claim
  ): Effect.fn.Return<ClaimResult, Refusal> {
    const request = requestOf(claim)
    const result = yield* using((service) => service.claim(request))
    if (result._tag !== "Claimed") return blockedBy(claim, request, result)
    inFlight.set(result.claim.id, Deferred.makeUnsafe())
    return {
      _tag: "Claimed",
      claimed: result.claim,
      ...(result.first === undefined ? {} : { first: sentOf(result.first, claim) })
    }
  })

  const logPostponed = Effect.logError(
    "memory unavailable: the outcome of a send is kept, and written when it can be"
  )

  /**
   * Writes the outcome. While the journal is unavailable, it retries every second in the background,
   * and the result waits no longer than `writeTimeout`.
   */
  const write = Effect.fnUntraced(function* (claimed: Claimed, outcome: Outcome) {
    const settling = using(({ settle: end }) => end(claimed, settlementOf(outcome)))
    const writing = yield* settling.pipe(
      Effect.catch(() => Effect.andThen(logPostponed, Effect.retry(settling, everySecond))),
      Effect.ignore,
      Effect.forkIn(writes, { startImmediately: true })
    )
    pending.add(writing)
    writing.addObserver(() => pending.delete(writing))
    yield* Fiber.await(writing).pipe(Effect.interruptible, Effect.timeoutOption(writeTimeout))
  })

  /** If a second send did not go out, the calls that wait for it receive the outcome of the first. */
  const outcomeForWaiting = (claim: Claim, outcome: Outcome): Effect.Effect<Outcome> =>
    outcome._tag === "NotSent"
      ? using((service) => service.look(requestOf({ ...claim, kind: "first" }))).pipe(
          Effect.map((found) => outcomeOfObstacle(claim, found) ?? outcome),
          Effect.orElseSucceed(() => outcome)
        )
      : Effect.succeed(outcome)

  const settle = Effect.fnUntraced(function* (claim: Claim, claimed: Claimed, outcome: Outcome) {
    yield* write(claimed, outcome)
    const own = inFlight.get(claimed.id)
    inFlight.delete(claimed.id)
    if (own !== undefined) yield* Deferred.succeed(own, yield* outcomeForWaiting(claim, outcome))
  })

  const recent: SendMemory["Service"]["recent"] = (principal, limit) =>
    open.pipe(
      Effect.flatMap((context) => Context.get(context, SendClaims).recent({ principal }, limit)),
      Effect.mapError(memoryUnreadable)
    )

  return SendMemory.of({
    digest: (parts) => Effect.map(claims, (service) => service.digest(parts)),
    look,
    claim: claimSend,
    settle,
    redeem: ({ expiresAtMillis, nonce }) =>
      using((service) => service.redeem({ nonce, expiresAt: expiresAtMillis })),
    recent,
    messageIds: (principal) =>
      recent(principal, rememberedIds).pipe(
        Effect.map((sends) =>
          sends
            .flatMap(({ messages }) => messages.map(({ message_id }) => message_id))
            .filter((id) => id.length <= maxIdLength && visible(id) === id)
            .slice(0, rememberedIds)
        ),
        Effect.orElseSucceed(() => [])
      )
  })
})
