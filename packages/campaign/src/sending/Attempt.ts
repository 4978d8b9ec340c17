/**
 * One attempt at one slice.
 *
 * An attempt takes turns. In one write, each turn settles the rows whose requests have ended and claims
 * the next rows. Requests go on while the journal writes; those that end in the meantime are settled in
 * the next turn.
 */
import { MessagingTopup, OnRequestStart } from "@messaging-topup/core"
import {
  claimDeadline,
  type CampaignStopped,
  JournalLocked,
  JournalUnavailable,
  type JournalError,
  type Row,
  SendJournal,
  type Settlement,
  type SliceNotFound
} from "@messaging-topup/journal"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import type { CampaignEvent, Stop, StopReason } from "./CampaignEvent.ts"
import * as FirstRows from "./FirstRows.ts"
import { type RowEnd, endOf } from "./Outcome.ts"
import type { Pace } from "./Pace.ts"
import type { QuietUntil } from "./QuietHours.ts"

/** What the attempts of this process at the slices of one campaign share. */
export interface Shared {
  /** How many SMS in a row were not sent. */
  failuresInARow: number
  readonly firstRows: FirstRows.FirstRows
  /** Why the campaign must stop. */
  stop?: Stop
  /** Done once `stop` is known: the attempts claim no more rows. */
  readonly stopping: Deferred.Deferred<void>
}

export const makeShared = (): Shared => ({
  failuresInARow: 0,
  firstRows: FirstRows.make(),
  stopping: Deferred.makeUnsafe<void>()
})

export interface Setup {
  readonly pace: Pace
  readonly shared: Shared
  readonly quietUntil: QuietUntil
  readonly tries: number
  readonly maxFailuresInARow: number
  readonly emit: (event: CampaignEvent) => Effect.Effect<void>
}

/**
 * The result of an attempt at a slice.
 *
 * @since 0.1.0
 */
export interface SliceResult {
  /**
   * Whether the slice is done, as `end` of the journal returns it. If false, it needs another attempt.
   */
  readonly isDone: boolean
  /** Why the campaign should stop; absent if it should not. */
  readonly stop?: StopReason
}

const deadlineMillis = Duration.toMillis(claimDeadline)

/** Turns are reserved so long before they are needed, because time that nobody reserved is lost. */
const reservedAheadMillis = 50

const isJournalError = (error: unknown): error is JournalError =>
  error instanceof JournalUnavailable || error instanceof JournalLocked

const isOther = <E>(error: E): error is Exclude<E, JournalError> => !isJournalError(error)

/** Retries until the journal is available again, so that no outcome is lost. */
const waitForJournal = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  emit: Setup["emit"]
): Effect.fn.Return<A, Exclude<E, JournalError>, R> {
  let isLost = false
  while (true) {
    const result = yield* Effect.result(effect)
    if (Result.isSuccess(result)) {
      if (isLost) yield* emit({ _tag: "JournalBack" })
      return result.success
    }
    const error = result.failure
    if (isOther(error)) return yield* Effect.fail(error)
    if (!isLost && isJournalError(error)) yield* emit({ _tag: "JournalLost", error })
    isLost = true
    yield* Effect.sleep("1 second")
  }
})

/** A row that did not go out stays pending, if the cause is not the row. */
const releasedOf = (settlement: Settlement): Settlement =>
  settlement.outcome === "unknown" ? settlement : { ...settlement, outcome: "released" }

const settledOf = (settlements: ReadonlyArray<Settlement>): CampaignEvent => {
  const count = (...outcomes: ReadonlyArray<Settlement["outcome"]>) =>
    settlements.filter(({ outcome }) => outcomes.includes(outcome)).length
  return {
    _tag: "Settled",
    sent: count("sent"),
    rejected: count("rejected"),
    unknown: count("unknown"),
    retried: count("not-sent", "released")
  }
}

const runAttempt = Effect.fnUntraced(function* (
  slice: number,
  setup: Setup,
  interrupted: Deferred.Deferred<void>,
  allClaimed: Effect.Effect<void>
) {
  const { emit, maxFailuresInARow, pace, quietUntil, shared, tries } = setup
  const journal = yield* SendJournal
  const { sendSms } = yield* MessagingTopup
  const clock = yield* Clock.Clock
  const { attempt, rows } = yield* waitForJournal(journal.begin(slice), emit)
  const waiting = [...rows]
  const ended = new Array<Settlement>()
  /** Failed rows, as long as it is not clear whether the cause is the row or a setting. */
  const doubtful = new Array<Settlement>()
  const requestEnded = Latch.makeUnsafe(false)
  /** When the turns of the first waiting rows come, by the monotonic clock. */
  const turns = new Array<number>()
  let inFlight = 0
  /** Whether this attempt has lost the right to claim rows. */
  let isSuperseded = false

  const isStopping = () =>
    Deferred.isDoneUnsafe(shared.stopping) || Deferred.isDoneUnsafe(interrupted)
  const stopped = Effect.raceFirst(Deferred.await(shared.stopping), Deferred.await(interrupted))

  /** Returns why the campaign must stop, if it must. */
  const stopAfter = (end: RowEnd, failedAlike: number): Stop | undefined => {
    if (end.settlement.outcome === "sent") shared.failuresInARow = 0
    // If the service is busy or unavailable, the campaign waits and does not stop.
    else if (end.slowDown === undefined && end.settlement.outcome !== "released")
      shared.failuresInARow++
    if (end.stop !== undefined) return { reason: end.stop }
    if (failedAlike >= FirstRows.maxAlike) {
      const { info } = end.settlement
      return { reason: "NothingAccepted", ...(info === undefined ? {} : { info }) }
    }
    return shared.failuresInARow >= maxFailuresInARow ? { reason: "FailuresInARow" } : undefined
  }

  const onEnd = Effect.fnUntraced(function* (row: Row, end: RowEnd) {
    inFlight--
    const failedAlike = shared.firstRows.failedAlike(row, end)
    if (failedAlike <= 1) ended.push(...doubtful.splice(0))
    ;(failedAlike > 0 ? doubtful : ended).push(end.settlement)
    const stop = stopAfter(end, failedAlike)
    if (stop !== undefined) {
      shared.stop ??= stop
      Deferred.doneUnsafe(shared.stopping, Effect.void)
      if (stop.reason === "NothingAccepted") ended.push(...doubtful.splice(0).map(releasedOf))
    }
    const why = end.slowDown?.isUnreachable === true ? "no-connection" : "slow-down"
    if (yield* pace.end(end)) yield* emit({ _tag: "Waiting", why, until: pace.pausedUntil() })
    if (pace.isUnreachable()) {
      shared.stop ??= { reason: "NoConnection" }
      Deferred.doneUnsafe(shared.stopping, Effect.void)
    }
    requestEnded.openUnsafe()
  })

  /**
   * Whether a request may start now. Between the claim and this moment, the process may have been frozen,
   * and the row sent by another one after a person's decision. The wall clock counts this time, even if the
   * machine was suspended.
   */
  const mayStart = (claimedAt: number): boolean => {
    const age = clock.currentTimeMillisUnsafe() - claimedAt
    return !isStopping() && !isSuperseded && age >= 0 && age <= deadlineMillis
  }

  const send = (row: Row, claimedAt: number) => {
    let isRefused = false
    const onStart = () => {
      isRefused = !mayStart(claimedAt)
      return !isRefused
    }
    return sendSms(row.request).pipe(
      Effect.provideService(OnRequestStart, onStart),
      Effect.exit,
      Effect.flatMap((exit) => onEnd(row, endOf(row, exit, !isRefused, tries)))
    )
  }

  /** Settles the rows that have ended, claims rows, and starts their requests. */
  const takeTurn = Effect.fnUntraced(function* (claim: ReadonlyArray<Row>) {
    const settle = ended.splice(0)
    const ids = claim.map(({ id }) => id)
    let claimedAt = 0
    const exchange = Effect.suspend(() => {
      claimedAt = clock.currentTimeMillisUnsafe()
      return journal.exchange(attempt, { settle, claim: ids })
    })
    const claimed = new Set(yield* waitForJournal(exchange, emit))
    if (settle.length > 0) yield* emit(settledOf(settle))
    for (const row of claim) {
      if (claimed.has(row.id)) {
        inFlight++
        pace.start()
        yield* Effect.forkChild(send(row, claimedAt))
      } else {
        // The campaign was paused, or a later attempt has begun.
        isSuperseded = true
        // A claim whose acknowledgement was lost holds its rows, even if its repetition is refused.
        ended.push({ id: row.id, outcome: "released" })
      }
    }
  })

  /** Returns for how long no request may start, in milliseconds; 0 or less if requests may start now. */
  const holdMillis = (now: number) => Math.max(pace.pausedUntil(), quietUntil(now) ?? 0) - now

  const monotonicMillis = () => Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

  /** Reserves turns for the first rows that have none. */
  const reserve = Effect.fnUntraced(function* (wanted: ReadonlyArray<Row>) {
    const { rows: next, spacing, wait } = yield* waitForJournal(pace.reserve(wanted), emit)
    const first = monotonicMillis() + Duration.toMillis(wait)
    turns.push(...next.map((_, index) => first + index * Duration.toMillis(spacing)))
  })

  while (true) {
    requestEnded.closeUnsafe()
    const isOver = isStopping() || waiting.length === 0
    if (isOver) yield* allClaimed
    else pace.roomMade.closeUnsafe()
    if (isOver && inFlight === 0) ended.push(...doubtful.splice(0))
    const hold = holdMillis(clock.currentTimeMillisUnsafe())
    const free = isOver || hold > 0 ? 0 : Math.min(waiting.length, pace.room())
    // Turns that are not taken in time are lost.
    if (isOver || hold > 0) turns.splice(0)
    const isReserved = (turns.at(-1) ?? 0) > monotonicMillis() + reservedAheadMillis
    if (turns.length < free && !isReserved) yield* reserve(waiting.slice(turns.length, free))
    const now = monotonicMillis()
    const due = turns.filter((at) => at <= now).length
    const next = waiting.splice(0, Math.min(due, free))
    turns.splice(0, next.length)
    if (next.length > 0 || ended.length > 0) yield* takeTurn(next)
    else if (free > 0) {
      const turn = Effect.sleep(Math.max(1, (turns[0] ?? now) - now))
      yield* Effect.raceAllFirst([turn, pace.roomMade.await, stopped])
    } else if (inFlight > 0 || (!isOver && hold <= 0)) {
      // Room for the waiting rows is made by the requests of all slices.
      yield* (isOver ? requestEnded : pace.roomMade).await
      // Other requests that end at the same moment are settled in the same write.
      yield* Effect.yieldNow
    } else if (isOver) break
    else {
      const until = quietUntil(clock.currentTimeMillisUnsafe())
      if (until !== undefined) yield* emit({ _tag: "Waiting", why: "quiet-hours", until })
      yield* Effect.raceFirst(Effect.sleep(hold), stopped)
    }
  }
  const isDone = yield* waitForJournal(journal.end(attempt), emit)
  const { stop } = shared
  const result: SliceResult = { isDone, ...(stop === undefined ? {} : { stop: stop.reason }) }
  return result
})

/**
 * Attempts a slice. If interrupted, it claims no more rows, waits for the requests in flight, and writes
 * their outcomes to the journal. `allClaimed` runs when it claims no more rows.
 */
export const attemptSlice = (
  slice: number,
  setup: Setup,
  allClaimed: Effect.Effect<void> = Effect.void
): Effect.Effect<SliceResult, CampaignStopped | SliceNotFound, MessagingTopup | SendJournal> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const running = yield* Effect.forkChild(runAttempt(slice, setup, interrupted, allClaimed))
      const end = Fiber.await(running)
      yield* restore(end).pipe(
        Effect.onInterrupt(() => Effect.andThen(Deferred.succeed(interrupted, undefined), end))
      )
      return yield* Fiber.join(running)
    })
  )
