/**
 * The state of the guards: sends, what they count towards limits, and used approvals.
 *
 * It is stored in a journal, whose claims are atomic across all processes that share it. The journal
 * is opened when the server starts. While it is unavailable, nothing is sent.
 */
import {
  type Approval,
  type Claim,
  type ClaimRequest,
  type KnownSend,
  type Obstacle,
  type SendFilter
} from "@messaging-topup/journal"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { inFlightElsewhere, memoryUnavailable, memoryUnreadable, type Refusal } from "./Refusal.ts"
import {
  claimRequestOf,
  endOfKnownSend,
  endOfObstacle,
  limitOf,
  limitsOf,
  sentCopyOf,
  settlementOf
} from "./JournalEntry.ts"
import type { PlannedSend, SendLimit, SentCopy } from "./PlannedSend.ts"
import type { EndedSend } from "./SendEnd.ts"
import * as State from "./State.ts"

const unknown: EndedSend = { outcome: "unknown" }

/** Why a send may not go out now. */
export type Blocked =
  /** `retryAfterSeconds` is undefined if this send alone exceeds the limit. */
  | {
      readonly _tag: "LimitReached"
      readonly limit: SendLimit
      readonly retryAfterSeconds: number | undefined
    }
  /** The person decided on this question before. `approved` says how. */
  | { readonly _tag: "ApprovalUsed"; readonly approved: boolean }
  /** Another call is sending the same SMS. */
  | { readonly _tag: "InFlight"; readonly ended: Effect.Effect<EndedSend, Refusal> }
  /** An earlier call sent the same SMS, or may have sent it. */
  | { readonly _tag: "Duplicate"; readonly ended: EndedSend }

export type LookResult =
  | Blocked
  /** `unresolved`: an earlier send has an unknown outcome, and no longer blocks this one. */
  | { readonly _tag: "Available"; readonly unresolved: boolean }

export type ClaimResult =
  | Blocked
  /** The caller has the right to send, until it calls `settle`. */
  | { readonly _tag: "Claimed"; readonly claim: Claim; readonly first?: SentCopy }

interface SendMemoryOptions extends State.StateOptions {
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
    /** Opens the state, and returns whether it can be written. The result holds for a second. */
    readonly isReady: Effect.Effect<boolean>
    /** Returns the same digest in all processes that share the journal. */
    readonly digest: (parts: ReadonlyArray<string>) => Effect.Effect<string, Refusal>
    /** Returns the result that `claim` would return, without claiming. */
    readonly look: (send: PlannedSend) => Effect.Effect<LookResult, Refusal>
    /** Returns how many sends of the same SMS have an unknown outcome. */
    readonly unresolved: (send: PlannedSend) => Effect.Effect<number, Refusal>
    /** Returns how much of each limit is left. */
    readonly left: (
      limits: ReadonlyArray<SendLimit>
    ) => Effect.Effect<ReadonlyArray<number>, Refusal>
    /** Claims the right to send. It is on disk before this returns. */
    readonly claim: (send: PlannedSend) => Effect.Effect<ClaimResult, Refusal>
    /**
     * Ends a claim, and passes the end of the send to the calls that wait for it. If the journal is
     * unavailable, the end is written later.
     */
    readonly settle: (send: PlannedSend, claim: Claim, ended: EndedSend) => Effect.Effect<void>
    /**
     * Marks the question of an approval as decided, without a claim. Returns the earlier decision on
     * it, if there was one.
     */
    readonly redeem: (
      approval: Approval,
      isApproved: boolean
    ) => Effect.Effect<"approved" | "declined" | undefined, Refusal>
    /** Returns the last sends, newest first. */
    readonly recent: (
      filter: SendFilter,
      limit: number
    ) => Effect.Effect<ReadonlyArray<KnownSend>, Refusal>
    /** Returns how many sends there are, and when the oldest one began. */
    readonly count: (
      filter: Pick<SendFilter, "principal" | "since">
    ) => Effect.Effect<{ readonly total: number; readonly oldestAt?: number }, Refusal>
  }
>()("@messaging-topup/mcp-server/send/SendMemory") {
  static readonly layer = (options: SendMemoryOptions): Layer.Layer<SendMemory> =>
    Layer.effect(SendMemory, make(options))
}

/** What this process knows of a send, and the state does not know yet. */
interface OwnSend {
  readonly id: string
  /** Resolves when the calls that wait for the send may go on. */
  readonly result: Deferred.Deferred<EndedSend>
  /** Absent while the request is in flight. */
  ended?: EndedSend
}

/** How long a call waits for a send of another process. */
const elsewhereTimeout = "5 seconds"

/** How long a result waits until the journal has written its outcome. */
const writeTimeout = "2 seconds"

/** How long a shutdown waits for outcomes that are not written yet. */
const shutdownTimeout = "5 seconds"

const make = Effect.fnUntraced(function* (options: SendMemoryOptions) {
  const { duplicateWindow, staleAfter, unknownHold } = options
  const { isReady, use } = yield* State.make(options)
  // On shutdown, outcomes that are not written yet get some time before the journal closes.
  const writes = yield* FiberSet.make()
  yield* Effect.addFinalizer(() =>
    Effect.timeoutOption(FiberSet.awaitEmpty(writes), shutdownTimeout)
  )
  /** The sends of this process whose outcome is not written yet, by their key. */
  const own = new Map<string, OwnSend>()

  const using = <A>(ask: State.Ask<A>) => Effect.mapError(use(ask), memoryUnavailable)
  const reading = <A>(ask: State.Ask<A>) => Effect.mapError(use(ask), memoryUnreadable)

  /** A second send is not wanted of one that is in flight here, whatever the state says after a clock jumped. */
  const requestOf = (send: PlannedSend): ClaimRequest => ({
    ...claimRequestOf(send, {
      staleAfter,
      holdSent:
        send.inBatch === true ? Duration.max(duplicateWindow, unknownHold) : duplicateWindow,
      holdUnknown: unknownHold
    }),
    ...(own.has(send.key) ? { over: "nothing" } : {})
  })

  const blockedByOwn = ({ ended, result }: OwnSend): Blocked =>
    ended === undefined
      ? { _tag: "InFlight", ended: Deferred.await(result) }
      : { _tag: "Duplicate", ended }

  /**
   * Waits for the outcome of a send of another process. It is unknown if the journal becomes
   * unavailable. The wait is short, because a process that was killed does not record the outcome.
   */
  const endElsewhere = (send: PlannedSend, id: string): Effect.Effect<EndedSend, Refusal> =>
    using((service) => service.read(id)).pipe(
      Effect.repeat({
        while: (known) => known?.state === "in-flight",
        schedule: Schedule.spaced("200 millis")
      }),
      Effect.map((known) => endOfKnownSend(send, known)),
      Effect.orElseSucceed(() => unknown),
      Effect.timeoutOrElse({
        duration: elsewhereTimeout,
        orElse: () => Effect.fail(inFlightElsewhere)
      })
    )

  const blockedBy = (send: PlannedSend, request: ClaimRequest, found: Obstacle): Blocked => {
    const known = own.get(send.key)
    switch (found._tag) {
      case "InFlight":
        return known?.id === found.id
          ? blockedByOwn(known)
          : { _tag: "InFlight", ended: endElsewhere(send, found.id) }
      case "Unknown":
        // A later decision of a person reads otherwise, and counts.
        if (known?.id === found.id) return blockedByOwn(known)
        break
      case "ApprovalUsed":
        return { _tag: "ApprovalUsed", approved: found.approved }
      case "LimitReached": {
        const limit = limitOf(send, request, found.limit)
        if (limit === undefined) break
        const retryAfterSeconds =
          found.retryAfter && Math.ceil(Duration.toSeconds(found.retryAfter))
        return { _tag: "LimitReached", limit, retryAfterSeconds }
      }
      case "Sent":
      case "Conflict":
      case "Rejected":
        break
    }
    // `Conflict` and `Rejected` do not occur: keys are digests of all fields, and nothing is rejected.
    return { _tag: "Duplicate", ended: endOfObstacle(send, found) ?? unknown }
  }

  /** Without state, this process still knows its own sends. */
  const orOwn =
    (send: PlannedSend) =>
    <A>(result: Effect.Effect<A, Refusal>): Effect.Effect<A | Blocked, Refusal> =>
      Effect.catch(result, (refusal) => {
        const known = own.get(send.key)
        return known === undefined ? Effect.fail(refusal) : Effect.succeed(blockedByOwn(known))
      })

  const look = Effect.fnUntraced(function* (
    send: PlannedSend
  ): Effect.fn.Return<LookResult, Refusal> {
    const request = requestOf(send)
    const found = yield* using((service) => service.look(request))
    return found._tag === "Available" ? found : blockedBy(send, request, found)
  })

  const claimSend = Effect.fnUntraced(function* (
    send: PlannedSend
  ): Effect.fn.Return<ClaimResult, Refusal> {
    const request = requestOf(send)
    const result = yield* using((service) => service.claim(request))
    if (result._tag !== "Claimed") return blockedBy(send, request, result)
    const { claim, first } = result
    own.set(send.key, { id: claim.id, result: Deferred.makeUnsafe() })
    return {
      _tag: "Claimed",
      claim,
      ...(first === undefined ? {} : { first: sentCopyOf(first, send) })
    }
  })

  const logPostponed = Effect.logError(
    "memory unavailable: the outcome of a send is kept, and written when it can be"
  )

  /**
   * Writes the outcome. While the journal is unavailable, it retries every second in the background,
   * and the result waits no longer than `writeTimeout`.
   */
  const write = Effect.fnUntraced(function* (send: PlannedSend, claim: Claim, ended: EndedSend) {
    const settling = using((service) => service.settle(claim, settlementOf(ended)))
    const writing = yield* settling.pipe(
      Effect.catch(() =>
        Effect.andThen(logPostponed, Effect.retry(settling, Schedule.spaced("1 second")))
      ),
      Effect.ignore,
      Effect.ensuring(
        Effect.sync(() => {
          if (own.get(send.key)?.id === claim.id) own.delete(send.key)
        })
      ),
      FiberSet.run(writes)
    )
    yield* Fiber.await(writing).pipe(Effect.interruptible, Effect.timeoutOption(writeTimeout))
  })

  /** If a second send did not go out, the calls that wait for it are told of the first. */
  const endForWaiting = (send: PlannedSend, ended: EndedSend): Effect.Effect<EndedSend> =>
    ended.outcome === "not-sent"
      ? using((service) => service.look(requestOf({ ...send, kind: "first" }))).pipe(
          Effect.map((found) =>
            found._tag === "Available" ? ended : (endOfObstacle(send, found) ?? ended)
          ),
          Effect.orElseSucceed(() => ended)
        )
      : Effect.succeed(ended)

  const settle = Effect.fnUntraced(function* (send: PlannedSend, claim: Claim, ended: EndedSend) {
    const known = own.get(send.key)
    const isOwn = known?.id === claim.id
    if (isOwn) known.ended = ended
    yield* write(send, claim, ended)
    if (isOwn) yield* Deferred.succeed(known.result, yield* endForWaiting(send, ended))
  })

  /** What this process knows comes before what the state says, except a later decision of a person. */
  const asKnownHere = (send: KnownSend): KnownSend => {
    const known = own.get(send.key)
    if (known?.id !== send.id || (send.state !== "in-flight" && send.state !== "unknown")) {
      return send
    }
    switch (known.ended?.outcome) {
      case "sent":
        return { ...send, state: "sent", messages: known.ended.results }
      case "unknown":
        return { ...send, state: "unknown" }
      case "not-sent":
      case undefined:
        return { ...send, state: "in-flight" }
    }
  }

  return SendMemory.of({
    isReady,
    digest: (parts) => using((service) => Effect.sync(() => service.digest(parts))),
    look: (send) => look(send).pipe(orOwn(send)),
    claim: (send) => claimSend(send).pipe(orOwn(send)),
    settle,
    left: (limits) =>
      using((service) => service.used(limitsOf({ limits, segments: 1 }))).pipe(
        Effect.map((used) => limits.map(({ limit }, at) => Math.max(0, limit - (used[at] ?? 0))))
      ),
    unresolved: ({ key }) => using((service) => service.unresolved(key)),
    redeem: (approval, isApproved) => using((service) => service.redeem(approval, isApproved)),
    recent: (filter, limit) =>
      Effect.map(
        reading((service) => service.recent(filter, limit)),
        (sends) => sends.map(asKnownHere)
      ),
    count: (filter) => reading((service) => service.count(filter))
  })
})
