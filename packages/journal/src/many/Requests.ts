/** The requests of a run that are in flight, and those that have ended and wait for their settlement. */
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { SendManyEvent, Stop } from "../model/Campaign.ts"
import type { Claim, Settlement, StoredOutcome } from "../model/Send.ts"
import type { Closing } from "../sends/Closing.ts"
import * as StopRule from "./StopRule.ts"
import { type RowEnd, send } from "./SendRow.ts"
import type { Item } from "./Supply.ts"
import type { Pace } from "./Pace.ts"

/** A request that has ended. Its row is tried again if it did not go out. */
export interface EndedRow extends Settlement {
  readonly item: Item
}

/** The event that says how these requests ended. */
export const settledEvent = (ended: ReadonlyArray<EndedRow>): SendManyEvent => {
  const count = (outcome: StoredOutcome["outcome"]) =>
    ended.filter(({ stored }) => stored.outcome === outcome).length
  return {
    _tag: "Settled",
    sent: count("sent"),
    rejected: count("rejected"),
    unknown: count("unknown"),
    notSent: count("nothing")
  }
}

export const make = (
  pace: Pace,
  clock: Clock.Clock,
  interrupted: Deferred.Deferred<void>,
  closing: typeof Closing.Service,
  emit: (event: SendManyEvent) => Effect.Effect<void>
) => {
  const countFailure = StopRule.make()
  const stopping = Deferred.makeUnsafe<void>()
  /** Opens when a request or a look for more rows ends. */
  const changed = Latch.makeUnsafe(false)
  const ended = new Array<EndedRow>()
  let stop: Stop | undefined

  const isStopping = () =>
    Deferred.isDoneUnsafe(stopping) || Deferred.isDoneUnsafe(interrupted) || closing.isClosed()

  const stopFor = (reason: Stop | undefined) => {
    if (reason === undefined) return
    stop ??= reason
    Deferred.doneUnsafe(stopping, Effect.void)
  }

  const onEnd = (item: Item, claim: Claim, end: RowEnd): Effect.Effect<void> => {
    const verdict = countFailure(end, item.failure)
    stopFor(verdict.stop)
    const isRejectedInDoubt = verdict.isInDoubt && end.stored.outcome === "rejected"
    const stored: StoredOutcome = isRejectedInDoubt ? { outcome: "nothing" } : end.stored
    const isFailure = end.failure !== undefined && end.slowDown === undefined
    ended.push({
      item: isFailure ? { ...item, failure: end.failure, failures: item.failures + 1 } : item,
      claim,
      stored
    })
    const isPaused = pace.end(end)
    if (pace.isUnreachable()) stopFor({ reason: "NoConnection" })
    changed.openUnsafe()
    if (!isPaused) return Effect.void
    const until = clock.currentTimeMillisUnsafe() + Math.round(pace.pauseMillis())
    const why = end.slowDown?.isUnreachable === true ? "no-connection" : "slow-down"
    return emit({ _tag: "Waiting", why, until })
  }

  return {
    changed,
    /** Those that wait for their settlement. */
    ended,
    /**
     * Lets requests that end one after the other end together: they are settled in the same write, because each
     * write takes as long as many requests.
     */
    gather: Effect.gen(function* () {
      if (pace.inFlight() === 0) return changed.closeUnsafe()
      // The requests of the last write start; a connection that is used again writes one loop later.
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      let before: number
      do {
        before = ended.length
        yield* Effect.yieldNow
      } while (ended.length > before)
      return changed.closeUnsafe()
    }),
    hasEnded: () => ended.length > 0,
    isStopping,
    /** Starts the request of a row that was claimed. */
    start: (item: Item, claim: Claim, mayStart: () => boolean) => {
      pace.start()
      const sending = send(item.row.request, () => !isStopping() && mayStart())
      return Effect.forkChild(Effect.flatMap(sending, (end) => onEnd(item, claim, end)))
    },
    /** No request starts any more. */
    stop: () => {
      Deferred.doneUnsafe(stopping, Effect.void)
    },
    /** Why it stops, if a request was the reason. */
    stopReason: () => stop,
    stopped: Effect.raceAllFirst([
      Deferred.await(stopping),
      Deferred.await(interrupted),
      closing.closed
    ])
  }
}
