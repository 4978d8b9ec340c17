/**
 * One attempt at one slice.
 *
 * An attempt takes turns. In one write, each turn settles the rows whose requests have ended and claims
 * the next rows. Requests go on while the journal writes; those that end in the meantime are settled in
 * the next turn.
 */
import { endOfSend, MessagingTopup, OnRequestStart } from "@messaging-topup/core"
import {
  claimDeadline,
  type CampaignStopped,
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
import type { CampaignEvent, Stop, StopReason } from "./CampaignEvent.ts"
import * as FirstRows from "./FirstRows.ts"
import { type RowEnd, endOf } from "./Outcome.ts"
import type { Pace } from "./Pace.ts"
import type { QuietUntil } from "./QuietHours.ts"
import * as Turns from "./Turns.ts"
import { waitForJournal } from "./WaitForJournal.ts"

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

/** The result of an attempt at a slice. */
export interface SliceResult {
  /**
   * Whether the slice is done, as `end` of the journal returns it. If false, it needs another attempt.
   */
  readonly isDone: boolean
  /** Why the campaign should stop; absent if it should not. */
  readonly stop?: StopReason
}

const deadlineMillis = Duration.toMillis(claimDeadline)

/** As long as it is not clear whether the row or a setting is the cause, no row is rejected. */
const inDoubt = (settlement: Settlement): Settlement =>
  settlement.outcome === "rejected" ? { ...settlement, outcome: "not-sent" } : settlement

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
  const { attempt, campaign, rows } = yield* waitForJournal(journal.begin(slice), emit)
  const waiting = [...rows]
  const ended = new Array<Settlement>()
  const requestEnded = Latch.makeUnsafe(false)
  const { reserve } = pace
  const turns =
    reserve && Turns.make((next) => waitForJournal(reserve(campaign, next), emit), clock)
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

  const onEnd = (row: Row, end: RowEnd): Effect.Effect<void> => {
    inFlight--
    const failedAlike = shared.firstRows.failedAlike(row, end)
    ended.push(failedAlike > 0 ? inDoubt(end.settlement) : end.settlement)
    const stop = stopAfter(end, failedAlike)
    if (stop !== undefined) {
      shared.stop ??= stop
      Deferred.doneUnsafe(shared.stopping, Effect.void)
    }
    const why = end.slowDown?.isUnreachable === true ? "no-connection" : "slow-down"
    const isPaused = pace.end(end)
    if (pace.isUnreachable()) {
      shared.stop ??= { reason: "NoConnection" }
      Deferred.doneUnsafe(shared.stopping, Effect.void)
    }
    requestEnded.openUnsafe()
    if (!isPaused) return Effect.void
    const until = clock.currentTimeMillisUnsafe() + Math.round(pace.pauseMillis())
    return emit({ _tag: "Waiting", why, until })
  }

  /**
   * Whether a request may start now. Between the claim and this moment, the process may have been frozen,
   * and the row sent by another one after a person's decision. The wall clock counts this time, even if the
   * machine was suspended.
   */
  const mayStart = (claimedAt: number): boolean => {
    const age = clock.currentTimeMillisUnsafe() - claimedAt
    return !isStopping() && !isSuperseded && age >= 0 && age <= deadlineMillis
  }

  const send = (row: Row, claimedAt: number) =>
    endOfSend(sendSms(row.request)).pipe(
      Effect.provideService(OnRequestStart, () => mayStart(claimedAt)),
      Effect.flatMap((end) => onEnd(row, endOf(row, end, tries)))
    )

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

  /**
   * Requests that end one after the other are settled in the same write, because each write takes as long
   * as many requests.
   */
  const gather = Effect.gen(function* () {
    // The requests of the last turn start; a connection that is used again writes one loop later.
    yield* Effect.yieldNow
    yield* Effect.yieldNow
    let before: number
    do {
      before = ended.length
      yield* Effect.yieldNow
    } while (ended.length > before)
  })

  /** Returns for how long no request may start, in milliseconds; 0 or less if requests may start now. */
  const holdMillis = (now: number) => Math.max(pace.pauseMillis(), (quietUntil(now) ?? now) - now)

  while (true) {
    if (inFlight > 0) yield* gather
    requestEnded.closeUnsafe()
    const isOver = isStopping() || isSuperseded || waiting.length === 0
    if (isOver) yield* allClaimed
    else pace.roomMade.closeUnsafe()
    const hold = holdMillis(clock.currentTimeMillisUnsafe())
    const free = isOver || hold > 0 ? 0 : Math.min(waiting.length, pace.room())
    if (isOver || hold > 0) turns?.drop()
    const due = turns === undefined || free === 0 ? free : yield* turns.take(waiting.slice(0, free))
    const next = waiting.splice(0, due)
    if (next.length > 0 || ended.length > 0) yield* takeTurn(next)
    else if (turns !== undefined && free > 0) {
      const turn = Effect.sleep(turns.waitMillis())
      yield* Effect.raceAllFirst([turn, pace.roomMade.await, stopped])
    } else if (inFlight > 0 || (!isOver && hold <= 0)) {
      // The waiting rows can start when requests of any slice end.
      yield* (isOver ? requestEnded : pace.roomMade).await
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
