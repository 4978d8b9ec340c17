/**
 * Settles rows with the outcomes that a test gives.
 */
import { SendJournal, type Settlement } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

/** How a row is settled. Without an outcome, it stays claimed. */
export interface RowSettlement extends Omit<Settlement, "id" | "outcome"> {
  readonly outcome?: "sent" | "rejected" | "unknown"
  /** The time from the claim to the settlement. */
  readonly millis?: number
}

/** Settles the first pending rows of a campaign one after the other. The other rows stay pending. */
export const settleRows = Effect.fnUntraced(function* (
  campaign: string,
  settlements: ReadonlyArray<RowSettlement>
) {
  const journal = yield* SendJournal
  const left = [...settlements]
  for (const slice of yield* journal.openSlices(campaign)) {
    const { attempt, rows } = yield* journal.begin(slice)
    for (const { id } of rows) {
      const settlement = left.shift()
      if (settlement === undefined) return
      const { millis = 0, outcome, ...details } = settlement
      yield* journal.exchange(attempt, { settle: [], claim: [id] })
      if (millis > 0) yield* TestClock.adjust(millis)
      if (outcome !== undefined) {
        yield* journal.exchange(attempt, { settle: [{ id, outcome, ...details }], claim: [] })
      }
    }
    yield* journal.end(attempt)
  }
})
