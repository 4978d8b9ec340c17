/** Reads the status of sent rows from the service. */
import { type InvalidInput, MessagingTopup } from "@messaging-topup/core"
import { CampaignJournal, type JournalError, type Row } from "@messaging-topup/journal"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { CampaignNotFound } from "../rows/CampaignNotFound.ts"
import { pages, requireFound } from "../rows/Lookup.ts"
import { checkedRate } from "./Setup.ts"

/** How `reconcile` reads the status of sent rows. */
export interface ReconcileOptions {
  /**
   * Returns whether a status is final, so that it is not read again. The service does not document which
   * statuses are final.
   */
  readonly isFinal: (status: string) => boolean
  /** Maximum reads per second, for all processes on the journal together. Default: 20. */
  readonly readsPerSecond?: number
  /** Runs after each read, with what was read so far. Default: nothing. */
  readonly onRead?: (soFar: Reconciled) => Effect.Effect<void>
}

/** The result of `reconcile`. */
export interface Reconciled {
  /** How many statuses were read. */
  readonly read: number
  /** How many of them are final. */
  readonly final: number
  /** How many could not be read. The next `reconcile` reads them again. */
  readonly failed: number
}

/**
 * Reads and stores the status of each sent row that has no final status yet. It may be interrupted
 * and repeated.
 */
export const reconcile = Effect.fn("Campaign.reconcile")(function* (
  campaign: string,
  { isFinal, onRead = () => Effect.void, readsPerSecond = 20 }: ReconcileOptions
): Effect.fn.Return<
  Reconciled,
  CampaignNotFound | InvalidInput | JournalError,
  CampaignJournal | MessagingTopup
> {
  yield* checkedRate("readsPerSecond", readsPerSecond)
  const campaigns = yield* CampaignJournal
  const { getSmsStatus } = yield* MessagingTopup
  yield* requireFound(campaign, yield* campaigns.state(campaign))
  let [read, final, failed] = [0, 0, 0]
  const rate = { scope: "reads", amount: 1, perSecond: readsPerSecond }

  const turn = Effect.gen(function* () {
    const { isReserved, wait } = yield* campaigns.reserve([rate])
    yield* Effect.sleep(wait)
    return isReserved
  })
  const waitForTurn = Effect.repeat(turn, { until: (isReserved) => isReserved })
  // One read of this process waits for a turn at a time.
  const inTurn = (yield* Semaphore.make(1)).withPermits(1)(waitForTurn)

  const readStatus = Effect.fnUntraced(function* ({ id, message_id = "" }: Row) {
    yield* inTurn
    const found = yield* Effect.option(getSmsStatus(message_id))
    const record = Option.flatMapNullishOr(found, ({ data }) =>
      data.find((each) => each.message_id === message_id)
    )
    if (Option.isNone(record)) {
      failed++
      return []
    }
    read++
    const { status: text } = record.value
    const isLast = isFinal(text)
    if (isLast) final++
    return [{ id, status: text, isFinal: isLast }]
  })

  yield* pages(campaign, { states: ["sent"], notFinal: true }).pipe(
    Stream.filter(({ message_id }) => message_id !== undefined),
    Stream.mapEffect((row) => Effect.tap(readStatus(row), () => onRead({ read, final, failed })), {
      concurrency: 10,
      unordered: true
    }),
    Stream.groupedWithin(100, Duration.seconds(5)),
    Stream.runForEach((statuses) => campaigns.saveStatuses(statuses.flat()))
  )
  const reconciled: Reconciled = { read, final, failed }
  return reconciled
})
