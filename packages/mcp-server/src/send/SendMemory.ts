/**
 * What the guards remember: sends, what they count, used approvals.
 *
 * It is kept in a journal, whose claims are atomic in all processes that share it. The journal is
 * opened when the first call needs it. While it is not available, nothing is sent.
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
import { memoryUnavailable, memoryUnreadable, type Refusal } from "../Refusal.ts"
import { visible } from "../Text.ts"
import type { Approval, Claim, SendLimit, SentOutcome } from "./Claim.ts"
import { opening } from "./Opening.ts"
import {
  known,
  limitOf,
  type Outcome,
  outcomeOfSend,
  overs,
  sentOf,
  settlementOf,
  unknown
} from "./Outcome.ts"

const periods = { messages: Duration.hours(1), segments: Duration.days(1) } as const

type Standing =
  /** `retryAfterSeconds` is absent where the send alone is above the limit. */
  | {
      readonly _tag: "LimitReached"
      readonly limit: SendLimit
      readonly retryAfterSeconds?: number
    }
  /** The question was answered before: `accepted`, and the send that followed is forgotten, or not. */
  | { readonly _tag: "ApprovalUsed"; readonly accepted: boolean }
  /** Another call sends the same SMS at this moment. */
  | { readonly _tag: "InFlight"; readonly outcome: Effect.Effect<Outcome, Refusal> }
  /** An earlier call sent the same SMS. */
  | { readonly _tag: "Known"; readonly outcome: Outcome }

export type LookResult =
  | Standing
  /** `unresolved`: an earlier send is unknown, and no longer holds this one back. */
  | { readonly _tag: "Available"; readonly unresolved: boolean }

export type ClaimResult =
  | Standing
  /** The caller has the right to send, until `settle`. */
  | { readonly _tag: "Claimed"; readonly claimed: Claimed; readonly first?: SentOutcome }

export interface SendMemoryOptions {
  /** Opens the journal. */
  readonly journal: Layer.Layer<SendClaims, JournalError>
  /** How long a send that went out holds the same one back. */
  readonly duplicateWindow: Duration.Duration
  /** How long an unknown one does. */
  readonly unknownHold: Duration.Duration
  /** A claim without an outcome is unknown after this time. */
  readonly staleAfter: Duration.Duration
}

export class SendMemory extends Context.Service<
  SendMemory,
  {
    /** The same in all processes that share the journal. */
    readonly digest: (parts: ReadonlyArray<string>) => Effect.Effect<string, Refusal>
    /** The result that `claim` would have, without claiming. */
    readonly look: (claim: Claim) => Effect.Effect<LookResult, Refusal>
    /** Claims the right to send. It is on disk before this returns. */
    readonly claim: (claim: Claim) => Effect.Effect<ClaimResult, Refusal>
    /** Ends a claim, and tells the calls that wait for it. A journal that is away gets it later. */
    readonly settle: (claim: Claim, claimed: Claimed, outcome: Outcome) => Effect.Effect<void>
    /** Uses a question up without a claim, when a person declined. Returns how it was answered before. */
    readonly redeem: (
      approval: Approval
    ) => Effect.Effect<"accepted" | "declined" | undefined, Refusal>
    /** The last sends of a principal, newest first. */
    readonly recent: (
      principal: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<KnownSend>, Refusal>
    /** The ids of a principal's last messages, newest first. */
    readonly messageIds: (principal: string) => Effect.Effect<ReadonlyArray<string>>
  }
>()("@messaging-topup/mcp-server/send/SendMemory") {
  static readonly layer = (options: SendMemoryOptions): Layer.Layer<SendMemory> =>
    Layer.effect(SendMemory, make(options))
}

const rememberedIds = 100

/** An id that is longer, or that hides something, is no id to complete. */
const longestId = 200

const everySecond = Schedule.spaced("1 second")

/** How long a result waits for the journal to write it down. */
const patience = "2 seconds"

/** How long a server that stops does. */
const lastMoment = "5 seconds"

const make = Effect.fnUntraced(function* (options: SendMemoryOptions) {
  const { duplicateWindow, staleAfter, unknownHold } = options
  const pending = new Set<Fiber.Fiber<void>>()
  // At the end, what is not written yet has a moment before the journal closes.
  const journalScope = yield* Scope.make()
  const writes = yield* Scope.make()
  yield* Effect.addFinalizer((exit) =>
    Effect.suspend(() => Effect.forEach(pending, Fiber.await, { discard: true })).pipe(
      Effect.timeoutOption(lastMoment),
      Effect.andThen(Scope.close(writes, exit)),
      Effect.andThen(Scope.close(journalScope, exit))
    )
  )
  const open = opening(Layer.buildWithScope(options.journal, journalScope))
  /** The sends of this process that are on their way, by the id of their claim. */
  const flying = new Map<string, Deferred.Deferred<Outcome>>()

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
    holdAccepted: duplicateWindow,
    holdUnknown: unknownHold,
    over: overs[claim.kind],
    ...(claim.approval === undefined
      ? {}
      : {
          approval: { nonce: claim.approval.nonce, expiresAt: claim.approval.expiresAtMillis }
        })
  })

  /**
   * What became of the send of another process. A journal that is away meanwhile, or a process that is
   * gone, leaves it unknown.
   */
  const afterwards = (claim: Claim, id: string): Effect.Effect<Outcome> =>
    using((service) => service.read(id)).pipe(
      Effect.repeat({
        while: (send) => send?.state === "in-flight",
        schedule: Schedule.spaced("200 millis")
      }),
      Effect.map((send) => outcomeOfSend(claim, send)),
      Effect.orElseSucceed(() => unknown),
      Effect.timeoutOrElse({ duration: staleAfter, orElse: () => Effect.succeed(unknown) })
    )

  const standing = (claim: Claim, request: ClaimRequest, found: Obstacle): Standing => {
    switch (found._tag) {
      case "InFlight": {
        const own = flying.get(found.id)
        return {
          _tag: "InFlight",
          outcome: own === undefined ? afterwards(claim, found.id) : Deferred.await(own)
        }
      }
      case "ApprovalUsed":
        return { _tag: "ApprovalUsed", accepted: found.accepted }
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
      case "Accepted":
      case "Unknown":
      case "Conflict":
      case "Rejected":
        break
    }
    // The last two are not used here: keys are digests of all fields, and a person decides otherwise.
    return { _tag: "Known", outcome: known(claim, found) ?? { _tag: "Unknown" } }
  }

  const look = Effect.fnUntraced(function* (claim: Claim): Effect.fn.Return<LookResult, Refusal> {
    const request = requestOf(claim)
    const found = yield* using((service) => service.look(request))
    if (found !== undefined) return standing(claim, request, found)
    const unresolved =
      claim.kind === "first" && (yield* using((service) => service.isUnresolved(claim.key)))
    return { _tag: "Available", unresolved }
  })

  const take = Effect.fnUntraced(function* (claim: Claim): Effect.fn.Return<ClaimResult, Refusal> {
    const request = requestOf(claim)
    const result = yield* using((service) => service.claim(request))
    if (result._tag !== "Claimed") return standing(claim, request, result)
    flying.set(result.claim.id, Deferred.makeUnsafe())
    return {
      _tag: "Claimed",
      claimed: result.claim,
      ...(result.first === undefined ? {} : { first: sentOf(result.first, claim) })
    }
  })

  const late = Effect.logError(
    "memory unavailable: the outcome of a send is kept, and written when it can be"
  )

  /** The outcome outlives a journal that is away, and the result does not wait for it. */
  const write = Effect.fnUntraced(function* (claimed: Claimed, outcome: Outcome) {
    const settling = using(({ settle: end }) => end(claimed, settlementOf(outcome)))
    const writing = yield* settling.pipe(
      Effect.catch(() => Effect.andThen(late, Effect.retry(settling, everySecond))),
      Effect.ignore,
      Effect.forkIn(writes, { startImmediately: true })
    )
    pending.add(writing)
    writing.addObserver(() => pending.delete(writing))
    yield* Fiber.await(writing).pipe(Effect.interruptible, Effect.timeoutOption(patience))
  })

  /** A second send that did not go out leaves what is known of the first. */
  const told = (claim: Claim, outcome: Outcome): Effect.Effect<Outcome> =>
    outcome._tag === "NotSent"
      ? using((service) => service.look(requestOf({ ...claim, kind: "first" }))).pipe(
          Effect.map((found) => known(claim, found) ?? outcome),
          Effect.orElseSucceed(() => outcome)
        )
      : Effect.succeed(outcome)

  const settle = Effect.fnUntraced(function* (claim: Claim, claimed: Claimed, outcome: Outcome) {
    yield* write(claimed, outcome)
    const own = flying.get(claimed.id)
    flying.delete(claimed.id)
    if (own !== undefined) yield* Deferred.succeed(own, yield* told(claim, outcome))
  })

  const recent: SendMemory["Service"]["recent"] = (principal, limit) =>
    open.pipe(
      Effect.flatMap((context) => Context.get(context, SendClaims).recent({ principal }, limit)),
      Effect.mapError(memoryUnreadable)
    )

  return SendMemory.of({
    digest: (parts) => Effect.map(claims, (service) => service.digest(parts)),
    look,
    claim: take,
    settle,
    redeem: ({ expiresAtMillis, nonce }) =>
      using((service) => service.redeem({ nonce, expiresAt: expiresAtMillis })),
    recent,
    messageIds: (principal) =>
      recent(principal, rememberedIds).pipe(
        Effect.map((sends) =>
          sends
            .flatMap(({ messages }) => messages.map(({ message_id }) => message_id))
            .filter((id) => id.length <= longestId && visible(id) === id)
            .slice(0, rememberedIds)
        ),
        Effect.orElseSucceed(() => [])
      )
  })
})
